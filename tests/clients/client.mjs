// The official TypeScript SDK in a session with Quipu, over stdio or HTTP.
//
// node client.mjs stdio QUIPU FOLDER
// node client.mjs http URL

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [how, ...where] = process.argv.slice(2);
const transport =
  how === "stdio"
    ? new StdioClientTransport({ command: where[0], args: ["-C", where[1], "mcp"] })
    : new StreamableHTTPClientTransport(new URL(where[0]));
const client = new Client({ name: "typescript", version: "1.0.0" });
await client.connect(transport);

const tools = (await client.listTools()).tools;
assert(tools.length <= 13 && tools.some((tool) => tool.name === "recall"));

const shelf = `third shelf of the ${how} room`;
const text = `The TypeScript client keeps its shoes on the ${shelf}`;
const kept = await client.callTool({ name: "remember", arguments: { text, format: "json" } });
assert(!kept.isError, JSON.stringify(kept));
const question = { query: `what is on the ${shelf}?` };
const told = await client.callTool({ name: "recall", arguments: question });
assert(told.content[0].text.startsWith("- ["), JSON.stringify(told));
assert.equal(told.structuredContent, undefined);
const found = await client.callTool({ name: "recall", arguments: { ...question, format: "json" } });
assert.equal(found.structuredContent.results[0].text, text);

const wrong = await client.callTool({ name: "fact", arguments: { action: "fly" } });
assert(wrong.isError && wrong.content[0].text.includes("add, list"), JSON.stringify(wrong));
await assert.rejects(client.callTool({ name: "no-such-tool", arguments: {} }));

const { resources } = await client.listResources();
assert(resources.some((resource) => resource.uri === "quipu://continuity"));
const brief = await client.readResource({ uri: "quipu://brief" });
assert(brief.contents[0].text.includes(shelf), JSON.stringify(brief));
const { prompts } = await client.listPrompts();
assert.equal(prompts.length, 3);
const completed = await client.complete({
  ref: { type: "ref/resource", uri: "quipu://memory/{id}" },
  argument: { name: "id", value: kept.structuredContent.id.slice(0, 8) },
});
assert(completed.completion.values.includes(kept.structuredContent.id));

await client.close();
console.log(`typescript SDK, ${how}: ${client.getServerVersion()?.name} answered`);
