// Search: one question over everything, and why each answer is one.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';
import { query } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { confirm, invalidate, pin } from '../lib/memory.js';
import { refine } from '../lib/place.js';
import { count, plain, ticks } from '../lib/text.js';
import { Ask, Command, Empty, Head, Loaded, Row } from '../lib/ui.js';

const NAMES = { lexical: 'words', dense: 'meaning', named: 'names', speaker: 'speaker', time: 'time', session: 'session', standing: 'standing' };

/** One readable sentence, which opens to the numbers behind it. */
function Why({ item }) {
  const { because, channels, weights, words } = item.why;
  const parts = Object.entries(channels).map(([name, value]) => ({ name, value, weight: weights[name] ?? 0, gives: value * (weights[name] ?? 0) })).filter((one) => one.gives > 0.0005).sort((a, b) => b.gives - a.gives);
  const most = Math.max(...parts.map((one) => one.gives), 0.001);
  return html`<details class="why"><summary>${plain(because.charAt(0).toUpperCase() + because.slice(1))}</summary>
    <table><caption class="hush">How the score of ${item.score.toFixed(2)} comes about</caption><thead><tr><th scope="col">Part</th><th scope="col">Value</th><th scope="col">Weight</th><th scope="col">Gives</th></tr></thead>
    <tbody>${parts.map((one) => html`<tr key=${one.name}><th scope="row">${NAMES[one.name] ?? one.name}</th><td>${one.value.toFixed(2)}</td><td>× ${one.weight.toFixed(2)}</td><td><meter min="0" max=${most} value=${one.gives} aria-label=${NAMES[one.name] ?? one.name}></meter> ${one.gives.toFixed(2)}</td></tr>`)}</tbody>
    <tfoot><tr><th scope="row" colspan="3">Score</th><td>${item.score.toFixed(2)}</td></tr></tfoot></table>
    ${words.length > 0 && html`<p class="quiet">Words of the question that it has: ${words.map((one, n) => html`${n > 0 && ', '}<b>${plain(one)}</b>`)}</p>`}</details>`;
}

function Results({ of, isArchived }) {
  const [wrong, setWrong] = useState(null);
  return html`<${Loaded} of=${of} rows=${6}>${(data) => html`
    <p class="found" role="status">${data.results.length ? count(data.results.length, 'answer') : 'No answer'}<span class="quiet"> from ${count(data.allowed, 'memory', 'memories')}${data.items > data.allowed && ` (${data.items - data.allowed} more are put away or filtered out)`}${data.left_out > 0 && html`, ${data.left_out} left out for length`}.
      ${(data.times ?? []).map((one) => html` <span key=${one.words}>“${plain(one.words)}” is understood as ${one.from?.slice(0, 10)} to ${one.to?.slice(0, 10)}.</span>`)}</span></p>
    ${(data.degraded ?? []).map((one) => html`<p class="notice" key=${one}>${plain(typeof one === 'string' ? one : JSON.stringify(one))}</p>`)}
    ${data.hint && html`<p class="notice">${ticks(data.hint)}</p>`}
    ${data.results.length > 0 && data.confidence === 'none' && html`<p class="notice">Nothing here answers the question for sure. These are the nearest.</p>`}
    ${data.results.length
      ? html`<ul class="rows">${data.results.map((item) => html`<${Row} key=${item.id} item=${item} why=${html`<${Why} item=${item} />`}>
          <button class="plain" onClick=${() => confirm(item, 'it answered a search')} title="Counts as a confirmation">This helped</button>
          <button class="plain" onClick=${() => pin({ id: item.id, isPinned: !!item.pinned })}>${item.pinned ? 'Unpin' : 'Pin'}</button>
          ${item.kind === 'record' && html`<button class="plain" onClick=${() => setWrong(item)}>Wrong</button>`}</${Row}>`)}</ul>`
      : html`<${Empty} title="Nothing answers this question.">${data.items} memories were asked, so it is not for want of memories. ${plain(data.advice ?? '')} Try other words${!isArchived && html`, or <a href=${`/search${query({ q: data.query, away: 'yes' })}`}>look among what was put away</a>`}.</${Empty}>`}
    ${wrong && html`<${Ask} title="What is wrong with it?" label="Reason" hint=${plain(wrong.text.slice(0, 200))} action="Mark as wrong" onClose=${() => setWrong(null)} onDone=${(reason) => { setWrong(null); invalidate(wrong, reason); }} />`}`}</${Loaded}>`;
}

const EXAMPLES = ['what did we decide last month?', 'how do we deploy?', 'who looks after what?'];

export function Search({ query: said }) {
  const q = said.get('q') ?? '';
  const [text, setText] = useState(q);
  const field = useRef(null);
  const [asOf, away, kind] = ['as_of', 'away', 'kind'].map((name) => said.get(name) ?? '');
  useLayoutEffect(() => {
    field.current.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (document.activeElement !== field.current) setText(q);
  }, [q]);
  useEffect(() => {
    if (text.trim() === q) return undefined;
    const timer = setTimeout(() => refine({ q: text.trim() }), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const path = q ? `/recall${query({ q, limit: 20, as_of: asOf && `${asOf}T23:59:59Z`, kind })}${away ? '&include=active&include=archived&include=superseded&include=challenged&include=invalidated' : ''}` : null;
  const found = useGet(path);
  return html`<${Head} title="Search" />
  <form class="search" role="search" onSubmit=${(event) => { event.preventDefault(); refine({ q: text.trim() }, { replace: false }); }}>
    <label class="hush" for="search-field">Ask everything that is remembered</label>
    <input id="search-field" ref=${field} type="search" placeholder="Ask everything that is remembered" autocomplete="off" value=${text} onInput=${(event) => setText(event.target.value)} />
    <div class="filters">
      <label>Kind <select value=${kind} onChange=${(event) => refine({ kind: event.target.value })}>${[['', 'everything'], ['fact', 'facts'], ['record', 'records'], ['thread', 'threads'], ['session', 'sessions'], ['document', 'documents']].map(([value, name]) => html`<option key=${value} value=${value}>${name}</option>`)}</select></label>
      <${AsOf} value=${asOf} />
      <label class="check"><input type="checkbox" checked=${!!away} onChange=${(event) => refine({ away: event.target.checked })} /> also what was put away</label>
    </div>
  </form>
  ${q ? html`<${Results} of=${found} isArchived=${!!away} />` : html`<${Empty} title="One question over facts, records, threads and sessions.">Times are understood too. Try ${EXAMPLES.map((one, n) => html`${n > 0 && ', '}<a key=${one} href=${`/search${query({ q: one })}`}>${one}</a>`)}</${Empty}>`}
  ${q && html`<${Command} words=${['recall', q, ...(asOf ? ['--as-of', asOf] : []), ...(kind ? ['--kind', kind] : [])]} />`}`;
}

const DAY = 86_400_000;

/** What was true on a day: a slider over the past year, and the day itself. */
function AsOf({ value }) {
  const today = Math.floor(Date.now() / DAY);
  const [back, setBack] = useState(value ? Math.max(0, today - Math.floor(Date.parse(value) / DAY)) : 0);
  const dayOf = (n) => (n ? new Date((today - n) * DAY).toISOString().slice(0, 10) : '');
  const label = back ? dayOf(back) : 'now';
  return html`<label class="as-of">As of <input type="range" min="0" max="365" value=${365 - back} aria-valuetext=${label} onInput=${(event) => setBack(365 - event.target.value)} onChange=${(event) => refine({ as_of: dayOf(365 - event.target.value) })} /> <output>${label}</output></label>`;
}
