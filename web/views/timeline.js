// Timeline: what happened, day by day, newest first.
import { html } from '../vendor/preact.js';
import { part, query } from '../lib/api.js';
import { Fresh, useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { Line, count, day, hour, plain } from '../lib/text.js';
import { Chip, Command, Empty, Head, Knot, Loaded, word } from '../lib/ui.js';
import { usePages } from './memories.js';

const KINDS = [['remembered', 'Remembered'], ['decided', 'Decided'], ['fact', 'Facts'], ['session', 'Sessions'], ['dreamed', 'Dreams'], ['asked', 'Questions']];

/** Where an entry leads. */
function target(one) {
  if (one.kind === 'session') return `/sessions/${part(one.about)}`;
  if (one.kind === 'dreamed') return '/review/dream';
  if (one.kind === 'asked') return `/review${query({ q: one.about.replace('question:', '') })}`;
  return `/m/${part(one.about)}`;
}

/** Many alike entries of one moment, such as those of a dream, are one row that opens. */
function gathered(items) {
  const groups = new Map();
  for (const one of items) {
    const name = one.kind === 'decided' || one.kind === 'asked' ? `${one.kind} ${one.at.slice(0, 16)} ${one.by} ${one.kind === 'decided' ? one.what.replace(/(merged into|superseded by) .*/, '$1') : ''}` : one.id;
    if (groups.has(name)) groups.get(name).all.push(one);
    else groups.set(name, { all: [one] });
  }
  return [...groups.values()];
}

const SAYS = { remembered: 'remembered', fact: 'written', session: 'session' };

function Entry({ one }) {
  const isRecord = one.kind === 'remembered' || one.kind === 'decided';
  const isAway = one.status && one.status !== 'active';
  return html`<li class="entry ${one.is_undone ? 'undone' : ''}" data-row data-id=${isRecord || one.kind === 'fact' ? one.about : undefined} data-away=${String(!!isAway)}>
    <${Knot} kind=${one.kind} />
    <span class="entry-hour">${hour(one.at)}</span>
    <div class="row-words"><a class="row-link" data-open href=${target(one)}><${Line} text=${one.text || one.reason || one.what || one.about} most=${260} /></a>
      <p class="meta"><span>${plain((one.what ?? SAYS[one.kind] ?? one.kind).replace(/^now says: [^]*/, 'rewritten'))}</span>${one.category && html`<span>${plain(one.category)}</span>`}${one.by && html`<span>by ${plain(one.by)}</span>`}
        ${isAway && one.kind !== 'decided' && html`<${Chip} kind="off">${word(one.status)}</${Chip}>`}${one.is_undone && html`<${Chip} kind="off">undone</${Chip}>`}${one.reason && one.text && html`<span>${plain(one.reason)}</span>`}</p></div></li>`;
}

function Group({ all }) {
  const [one] = all;
  if (all.length < 4) return all.map((each) => html`<${Entry} key=${each.id} one=${each} />`);
  return html`<li class="entry" data-row><${Knot} kind=${one.kind} /><span class="entry-hour">${hour(one.at)}</span>
    <details class="row-words"><summary data-open>${one.kind === 'asked' ? count(all.length, 'question') + ' asked' : html`${count(all.length, 'memory', 'memories')}: ${plain((one.what ?? 'decided').replace(/(merged) into .*/, '$1'))}`} <span class="quiet">by ${plain(one.by)}</span></summary>
      <ul class="entries">${all.map((each) => html`<${Entry} key=${each.id} one=${each} />`)}</ul></details></li>`;
}

export function Timeline({ query: said }) {
  const [kind, before, category, session] = ['kind', 'before', 'category', 'session'].map((name) => said.get(name) ?? '');
  const path = `/timeline${query({ limit: 100, kind, category, in_session: session, before: before && `${before}T23:59:59Z` })}`;
  const list = useGet(path, { keys: (data) => data.items.map((one) => one.id) });
  const { items, more } = usePages(path, list);
  const days = [];
  for (const one of items) {
    const key = one.at.slice(0, 10);
    if (days[days.length - 1]?.key !== key) days.push({ key, items: [] });
    days[days.length - 1].items.push(one);
  }
  return html`<${Head} title="Timeline" aside=${html`<${Fresh} of=${list} />`}>What was remembered and decided, by whom, and what each night’s dream made of it.</${Head}>
  <div class="filters" role="group" aria-label="Filters">
    <div class="choices" role="group" aria-label="What to show"><button aria-pressed=${String(!kind)} onClick=${() => refine({ kind: '' })}>All</button>${KINDS.map(([value, name]) => html`<button key=${value} aria-pressed=${String(kind === value)} onClick=${() => refine({ kind: value })}><${Knot} kind=${value} />${name}</button>`)}</div>
    <label>Until <input type="date" value=${before} onChange=${(event) => refine({ before: event.target.value })} /></label>
    ${category && html`<button onClick=${() => refine({ category: '' })}>Category ${plain(category)} ×</button>`}
    ${session && html`<button onClick=${() => refine({ session: '' })}>Session ${plain(session)} ×</button>`}
  </div>
  <${Loaded} of=${list} rows=${8}>${() => (items.length
    ? html`<div class="days">${days.map((one) => html`<section key=${one.key} class="day" aria-labelledby=${`d-${one.key}`}><h2 id=${`d-${one.key}`}>${day(one.key)}</h2><ul class="entries">${gathered(one.items).map((group) => html`<${Group} key=${group.all[0].id} all=${group.all} />`)}</ul></section>`)}</div>${more}`
    : html`<${Empty} title="Nothing happened that fits.">${kind || before || category || session ? html`<a href="/timeline">Show everything</a>` : html`What agents and people remember appears here by itself.`}</${Empty}>`)}</${Loaded}>
  <${Command} words=${['timeline', ...(kind ? ['--kind', kind] : []), ...(before ? ['--before', before] : []), ...(category ? ['--category', category] : []), ...(session ? ['--in-session', session] : [])]} />`;
}
