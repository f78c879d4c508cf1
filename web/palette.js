// Ctrl-K: go anywhere, find anything, do what is at hand.
import { html, useEffect, useRef, useState } from './vendor/preact.js';
import { act, undoLast } from './lib/act.js';
import { ask, part, query } from './lib/api.js';
import { overlay, subject } from './lib/keys.js';
import * as memory from './lib/memory.js';
import { go } from './lib/place.js';
import { Line, line } from './lib/text.js';
import { Dialog } from './lib/ui.js';

/** What can be done here and now. */
function actions(views, about) {
  const all = views.map(([href, name]) => [`Go to ${name}`, () => go(href)]);
  all.push(['Next question', () => go('/review')], ['Preview the next review', () => go('/review/next')], ['Preview the next dream', () => go('/review/dream')]);
  all.push(['Table of facts', () => go('/facts?as=table')], ['Undo what was done last', undoLast], ['Keys', () => (overlay.value = 'help')]);
  if (about) all.unshift([about.isPinned ? 'Unpin this memory' : 'Pin this memory', () => memory.pin(about)], [about.isAway ? 'Bring this memory back' : 'Forget this memory', () => memory.forget(about)]);
  all.push(['Sign out', async () => { await act('Signed out', 'POST', '/sign-out'); location.assign('/'); }]);
  return all;
}

/** The palette. */
export function Palette({ views }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState([]);
  const [at, setAt] = useState(0);
  const about = useRef(subject());
  const list = useRef(null);
  const wanted = text.trim().toLowerCase();
  useEffect(() => {
    if (wanted.length < 2) return setFound([]);
    const timer = setTimeout(async () => {
      try {
        setFound((await ask('GET', `/recall${query({ q: wanted, limit: 6 })}`)).results);
      } catch {
        setFound([]);
      }
    }, 180);
    return () => clearTimeout(timer);
  }, [wanted]);
  const rows = actions(views, about.current).filter(([name]) => wanted.split(/\s+/).every((one) => name.toLowerCase().includes(one))).slice(0, wanted ? 5 : 12).map(([name, does]) => ({ name, does }));
  if (wanted) rows.push({ name: `Search for “${line(text, 60)}”`, does: () => go(`/search${query({ q: text.trim() })}`) });
  for (const one of found) rows.push({ item: one, does: () => go(`/m/${part(one.id)}`) });
  if (wanted) rows.push({ name: `Remember “${line(text, 60)}”`, does: () => memory.remember(text.trim()) });
  const chosen = Math.min(at, rows.length - 1);
  const choose = (row) => {
    overlay.value = null;
    row.does();
  };
  const key = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      setAt((chosen + by + rows.length) % rows.length);
      list.current?.children[(chosen + by + rows.length) % rows.length]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && rows[chosen]) {
      event.preventDefault();
      choose(rows[chosen]);
    }
  };
  return html`<${Dialog} title="Go anywhere" class="palette" onClose=${() => (overlay.value = null)}>
    <input class="palette-field" role="combobox" aria-expanded="true" aria-controls="palette-rows" aria-activedescendant=${rows.length ? `palette-${chosen}` : undefined} aria-label="Go anywhere, find or remember something"
      placeholder="Go to, find, remember …" autofocus autocomplete="off" value=${text} onInput=${(event) => { setText(event.target.value); setAt(0); }} onKeyDown=${key} />
    <ul id="palette-rows" role="listbox" aria-label="What is found" ref=${list}>${rows.map((row, n) => html`<li key=${n} id="palette-${n}" role="option" aria-selected=${String(n === chosen)} onClick=${() => choose(row)} onMouseMove=${() => setAt(n)}>
      ${row.item ? html`<span class="palette-kind">${row.item.kind}</span><${Line} text=${row.item.text} most=${110} />` : row.name}</li>`)}</ul>
  </${Dialog}>`;
}
