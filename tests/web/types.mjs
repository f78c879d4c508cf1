// Makes TypeScript types of what the API answers, for the type check of the page. Usage: node types.mjs OPENAPI > TYPES
import { readFileSync } from 'node:fs';

const { paths, components } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const KINDS = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' };
const named = (name) => `Quipu_${name.replace(/\W/g, '_')}`;

/** Returns a schema as a type. */
function type(schema) {
  if (schema === true || schema === undefined) return 'any';
  if (schema.$ref) return named(schema.$ref.split('/').pop());
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  for (const [word, sign] of [['anyOf', ' | '], ['oneOf', ' | '], ['allOf', ' & ']]) if (schema[word]) return `(${schema[word].map(type).join(sign)})`;
  if (Array.isArray(schema.type)) return `(${schema.type.map((one) => type({ ...schema, type: one })).join(' | ')})`;
  if (schema.type === 'array') return `Array<${type(schema.items)}>`;
  if (schema.properties) return `{ ${Object.entries(schema.properties).map(([name, of]) => `${JSON.stringify(name)}${schema.required?.includes(name) ? '' : '?'}: ${type(of)}`).join('; ')} }`;
  if (schema.type === 'object') return `Record<string, ${type(schema.additionalProperties || undefined)}>`;
  return KINDS[schema.type] ?? 'any';
}

for (const [name, schema] of Object.entries(components.schemas)) console.log(`type ${named(name)} = ${type(schema)};`);
console.log('interface QuipuAnswers {');
for (const [path, item] of Object.entries(paths)) {
  const schema = item.get?.responses['200']?.content?.['application/json']?.schema;
  if (schema && !path.includes('{')) console.log(`  '${path}': ${type(schema)};`);
}
console.log(`}
/** What a path answers: anything where the path is put together of parts, and nothing where there is no such path. */
type QuipuAnswer<P extends string> = string extends P ? any : P extends \`\${infer A}?\${string}\` ? QuipuKnown<A> : QuipuKnown<P>;
type QuipuPath = ${Object.keys(paths).filter((path) => paths[path].get).map((path) => `\`${path.replace(/\{\w+\}/g, '${string}')}\${string}\``).join(' | ')};
type QuipuKnown<A> = A extends keyof QuipuAnswers ? QuipuAnswers[A] : A extends QuipuPath ? any : A extends \`/\${string}\` ? never : any;`);
