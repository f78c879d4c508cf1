// Everything that is remembered, newest first, by what one asks for.
import { html, useEffect, useState } from '../vendor/preact.js';
import { ask, query } from '../lib/api.js';
import { complain } from '../lib/act.js';
import { Fresh, useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { count } from '../lib/text.js';
import { Command, Empty, Head, Loaded, More, Row } from '../lib/ui.js';

const CHOICES = {
  kind: ['record', 'fact', 'thread', 'archived-fact', 'session', 'document'],
  status: ['active', 'challenged', 'invalidated', 'merged', 'superseded', 'archived'],
  layer: ['working', 'episodic', 'semantic', 'procedural', 'codebase'],
  type: ['fact', 'procedure', 'narrative'],
};

const NO_MORE = { pages: 0, items: [], next: undefined };

/** A list that grows by a page at a time. When its first page is read anew, so are the others; until then they stay. */
export function usePages(path, of) {
  const [more, setMore] = useState({ path, ...NO_MORE });
  const [isBusy, setBusy] = useState(false);
  const mine = more.path === path ? more : NO_MORE;
  const next = mine.next === undefined ? of.data?.next : mine.next;
  const page = (after) => ask('GET', `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(after)}`);
  useEffect(() => {
    let isOver = false;
    const again = async () => {
      const found = { path, pages: 0, items: [], next: of.data.next };
      while (found.pages < mine.pages && found.next) {
        const { items, next: after } = await page(found.next);
        found.items.push(...items);
        found.next = after;
        found.pages += 1;
      }
      if (!isOver) setMore(found);
    };
    if (of.data && mine.pages) again().catch(complain);
    return () => (isOver = true);
  }, [path, of.data]);
  const load = async () => {
    setBusy(true);
    try {
      const { items, next: after } = await page(next);
      setMore({ path, pages: mine.pages + 1, items: [...mine.items, ...items], next: after });
    } catch (problem) {
      complain(problem);
    }
    setBusy(false);
  };
  return { items: [...(of.data?.items ?? []), ...mine.items], more: html`<${More} next=${next} load=${load} isBusy=${isBusy} />` };
}

export function Memories({ query: said }) {
  const names = ['kind', 'status', 'layer', 'type', 'category', 'tag', 'entity', 'pinned', 'sort'];
  const values = Object.fromEntries(names.map((name) => [name, said.get(name) ?? '']));
  const path = `/memories${query({ limit: 40, ...values, pinned: values.pinned && 'true' })}`;
  const list = useGet(path, { keys: (data) => data.items.map((one) => one.id) });
  const { items, more } = usePages(path, list);
  const isFiltered = names.some((name) => values[name] && name !== 'sort');
  return html`<${Head} title="Memories" aside=${html`<${Fresh} of=${list} />`}>${list.data ? `${count(list.data.total ?? items.length, 'memory', 'memories')}${isFiltered ? ' that fit' : ' that are active'}.` : ' '}</${Head}>
  <div class="filters" role="group" aria-label="Filters">
    ${Object.entries(CHOICES).map(([name, all]) => html`<label key=${name}>${name[0].toUpperCase() + name.slice(1)} <select value=${values[name]} onChange=${(event) => refine({ [name]: event.target.value })}><option value="">any</option>${all.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>`)}
    <label>Tag <input value=${values.tag} size="10" onChange=${(event) => refine({ tag: event.target.value.trim() })} /></label>
    <label class="check"><input type="checkbox" checked=${!!values.pinned} onChange=${(event) => refine({ pinned: event.target.checked })} /> pinned only</label>
  </div>
  <${Loaded} of=${list} rows=${8}>${() => (items.length
    ? html`<ul class="rows">${items.map((item) => html`<${Row} key=${item.id} item=${item} />`)}</ul>${more}`
    : html`<${Empty} title=${isFiltered ? 'No memory fits these filters.' : 'Nothing is remembered yet.'}>${isFiltered ? html`<a href="/memories">Show all</a>` : html`Begin with <code>quipu remember "…"</code>`}</${Empty}>`)}</${Loaded}>
  <${Command} words=${['memory', 'list', ...names.flatMap((name) => (values[name] ? (name === 'pinned' ? ['--pinned'] : [`--${name}`, values[name]]) : []))]} />`;
}
