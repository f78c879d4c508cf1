// The picture of the project: a quipu. One cord for each fact, one column for each session, a knot for every use. The
// bands are the windows of the policy, counted back from the newest session: where the last knot hangs is why a fact
// is active, fades, or is put away by the next review.
import { html, useState } from '../vendor/preact.js';
import { part } from '../lib/api.js';
import { Line, count, plain } from '../lib/text.js';
import { Chip, word } from '../lib/ui.js';

/** The dye of a section's cords: its place in the order of sections. The sections have headings too. */
const DYES = 7;

/** What makes a rope of a line: plies that run around it, light above and shade below. Every cord shares it. */
const Twist = () => html`<svg class="hush" width="0" height="0" aria-hidden="true"><pattern id="twist" width="5" height="28" patternUnits="userSpaceOnUse"><path d="M-2.5 18.500 5 10.500M2.500 18.500 10 10.500M-5 15 2.500 7" class="twist-ply" /><path d="M0 12.400h5" class="twist-light" /><path d="M0 15.700h5" class="twist-shade" /></pattern></svg>`;

/** A stretch of rope between two places; `half` is how thick it is. */
const Rope = ({ from, to, half = 2 }) => ['cord-rope', 'cord-ply'].map((name) => html`<rect key=${name} class=${name} x=${from} width=${to} y=${14 - half} height=${half * 2} rx=${half} />`);

/** A knot: three turns of the cord around itself. */
const TURNS = [[-3.8, 3.8], [0, 5.4], [3.8, 3.8]].map(([x, half]) => `M${x - 1.8}-${half}a1.8 1.8 0 0 1 3.6 0v${half * 2}a1.8 1.8 0 0 1-3.6 0z`).join('');

/** Says in words what a cord shows. */
export function fate(fact, windows) {
  const idle = fact.sessions_since_last_use;
  if (fact.tier === 'core') return 'core: it never fades';
  if (fact.state === 'superseded') return 'replaced by another fact';
  if (fact.state === 'archived') return 'in the archive; a use brings it back';
  if (idle > windows.archive) return `unused for ${count(idle, 'session')}: the next review puts it away`;
  if (idle > windows.active) return `unused for ${count(idle, 'session')}: put away after ${count(windows.archive - idle + 1, 'more session')} without a use`;
  return `${idle ? `last used ${count(idle, 'session')} ago` : 'used in the newest session'}: begins to fade after ${count(windows.active - idle + 1, 'session')} without a use`;
}

/** Whether the next review puts a fact away. */
const isLeaving = (fact, windows) => fact.tier !== 'core' && fact.state === 'live' && fact.sessions_since_last_use > windows.archive;

/** A cord: a thin thread from the main cord to where the fact begins, the cord, its knots, and how it ends. */
function Cord({ fact, total, windows }) {
  const at = (column) => `${((column + 0.5) / total) * 100}%`;
  const knots = fact.knots;
  const first = fact.earlier_knots > 0 ? -0.5 : (knots[0] ?? Math.max(0, total - 1));
  const last = knots[knots.length - 1] ?? first;
  const isCore = fact.tier === 'core';
  const isGone = fact.state !== 'live' && fact.state !== 'open';
  const isPast = !isCore && (isGone || fact.sessions_since_last_use > windows.archive);
  const cut = isPast ? Math.min(total - 0.5, last + windows.archive + 1) : total - 0.5;
  const end = isCore ? total - 0.5 : last;
  return html`<svg class="cord ${isCore ? 'core' : ''} ${isPast ? 'past' : ''}" aria-hidden="true" width="100%" height="28">
    <path d="M-5 11.3h8.5a2.7 2.7 0 0 1 0 5.4H-5" class="cord-hitch" /><line x1="6" x2=${at(first)} y1="14" y2="14" class="cord-lead" />
    ${end > first && html`<${Rope} from=${at(first)} to=${`${((end - first) / total) * 100}%`} half=${isCore ? 3 : 2} />`}
    ${!isCore && cut > last && html`<line x1=${at(last)} x2=${at(cut)} y1="14" y2="14" class="cord-idle" />`}
    ${isPast && html`<svg x=${at(cut)} y="14" class="cord-end"><path d="M0-5.5v11" /></svg>`}
    ${isCore && html`<svg x=${at(end)} y="14" class="cord-eye"><circle cx="0" cy="0" r="4" /></svg>`}
    ${knots.map((column, n) => (n === 0 && fact.earlier_knots === 0
      ? html`<svg key=${column} x=${at(column)} y="14" class="cord-first"><circle r="4.6" cx="0" cy="0" /></svg>`
      : html`<svg key=${column} x=${at(column)} y="14" class="cord-knot"><path d=${TURNS} /></svg>`))}
  </svg>`;
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });

function months(sessions) {
  const found = [];
  let before = '';
  sessions.forEach((one, column) => {
    const month = one.day.slice(0, 7);
    if (month !== before) found.push({ column, name: MONTH.format(new Date(`${one.day}T00:00:00Z`)) });
    before = month;
  });
  // Names that would stand on one another are left out.
  return found.filter((one, n) => n === found.length - 1 || (found[n + 1].column - one.column) / sessions.length > 0.07);
}

/** The cords of facts, by section. */
export function Cords({ cords, sort, words }) {
  const { sessions, windows, facts } = cords;
  const [column, setColumn] = useState(null);
  const total = Math.max(1, sessions.length);
  const sections = [...new Set(facts.map((one) => one.section))];
  const dye = (fact) => sections.indexOf(fact.section) % DYES;
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = facts.filter((one) => wanted.every((word) => `${one.title} ${one.id} ${one.section}`.toLowerCase().includes(word)));
  const groups = sort === 'fading'
    ? [['Fading first', [...shown].sort((a, b) => Number(a.tier === 'core') - Number(b.tier === 'core') || b.sessions_since_last_use - a.sessions_since_last_use)]]
    : sort === 'used' ? [['Most used first', [...shown].sort((a, b) => b.uses - a.uses)]]
    : sections.map((name) => [name, shown.filter((one) => one.section === name)]).filter(([, all]) => all.length);
  const edge = (window) => `${Math.max(0, ((total - window - 1) / total) * 100)}%`;
  const over = (event) => {
    const box = event.currentTarget.querySelector('.cords-bands').getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * total);
    setColumn(place >= 0 && place < total ? place : null);
  };
  return html`<div class="cords" onMouseMove=${over} onMouseLeave=${() => setColumn(null)}>
    <${Twist} /><div class="cords-top" aria-hidden="true"><span class="cords-ask">where the last knot hangs:</span>
      <div class="cords-scale">
        ${total > windows.archive + 1 && html`<span class="band-name far" style=${{ left: 0, width: edge(windows.archive) }}>put away</span>`}
        <span class="band-name fading" style=${{ left: edge(windows.archive), right: `${((windows.active + 1) / total) * 100}%` }}>fading</span>
        <span class="band-name near" style=${{ left: edge(windows.active), right: 0 }}>active</span>
      </div>
    </div>
    <div class="cords-body">
      <div class="cords-bands" aria-hidden="true">
        <i class="band fading" style=${{ left: edge(windows.archive), right: `${((windows.active + 1) / total) * 100}%` }}></i>
        <i class="band near" style=${{ left: edge(windows.active), right: 0 }}></i>
        ${column !== null && html`<i class="cords-column" style=${{ left: `${(column / total) * 100}%`, width: `${100 / total}%` }}></i><span class="cords-day ${column > total / 2 ? 'left' : ''}" style=${{ left: `${((column + 0.5) / total) * 100}%` }}>${sessions[column].day} · ${count(facts.filter((one) => one.knots.includes(column)).length, 'fact')} used</span>`}
        <i class="main-cord"></i>
      </div>
      ${groups.map(([name, all]) => html`<section key=${name} class="cord-group"><h2>${plain(name)} <span class="quiet">${all.length}</span></h2>
        <ul>${all.map((fact) => html`<li key=${fact.id} class="cord-row dye-${dye(fact)}" data-row data-id=${fact.id}>
          <div class="cord-words"><a data-open href="/m/${part(fact.id)}" title=${fate(fact, windows)}><${Line} text=${fact.title} most=${150} /></a>
            <span class="cord-says">${fact.tier !== 'active' && html`<${Chip} kind="tier-${fact.tier}">${isLeaving(fact, windows) ? 'put away next' : word(fact.tier)}</${Chip}>`} <span class="uses" aria-hidden="true">${fact.uses} ×</span><span class="hush">, used in ${count(fact.uses, 'session')}, ${fate(fact, windows)}</span></span></div>
          <${Cord} fact=${fact} total=${total} windows=${windows} /></li>`)}</ul></section>`)}
      ${!shown.length && html`<p class="quiet cords-none">No fact has these words.</p>`}
    </div>
    <div class="cords-months" aria-hidden="true"><div class="cords-scale">${months(sessions).map((one) => html`<span key=${one.column} style=${{ left: `${(one.column / total) * 100}%` }}>${one.name}</span>`)}</div></div>
    <${Legend} windows=${windows} earlier=${cords.earlier_sessions} total=${total} />
  </div>`;
}

/** The cord of one fact, between the same bands. */
export function OneCord({ cords, id }) {
  const fact = cords.facts.find((one) => one.id === id);
  if (!fact) return null;
  const { windows } = cords;
  const total = Math.max(1, cords.sessions.length);
  const edge = (window) => `${Math.max(0, ((total - window - 1) / total) * 100)}%`;
  return html`<figure class="cords one-cord dye-0"><${Twist} /><div class="cords-scale" aria-hidden="true">
      ${total > windows.archive + 1 && html`<span class="band-name" style=${{ left: 0, width: edge(windows.archive) }}>put away</span>`}
      <span class="band-name" style=${{ left: edge(windows.archive), right: `${((windows.active + 1) / total) * 100}%` }}>fading</span><span class="band-name" style=${{ left: edge(windows.active), right: 0 }}>active</span></div>
    <div class="cords-body"><div class="cords-bands" aria-hidden="true"><i class="band fading" style=${{ left: edge(windows.archive), right: `${((windows.active + 1) / total) * 100}%` }}></i><i class="band near" style=${{ left: edge(windows.active), right: 0 }}></i><i class="main-cord"></i></div>
      <${Cord} fact=${fact} total=${total} windows=${windows} /></div>
    <div class="cords-scale" aria-hidden="true">${months(cords.sessions).map((one) => html`<span key=${one.column} style=${{ left: `${(one.column / total) * 100}%` }}>${one.name}</span>`)}</div>
    <figcaption class="quiet">Used in ${count(fact.uses, 'session')}; ${fate(fact, windows)}.</figcaption></figure>`;
}

const Sample = ({ children }) => html`<svg class="sample" width="34" height="16" viewBox="0 6 34 16" aria-hidden="true">${children}</svg>`;

const Legend = ({ windows, earlier, total }) => html`<ul class="legend dye-0" aria-label="What the cords show">
  <li><${Sample}><${Rope} from="8" to="26" /><g class="cord-first"><circle cx="8" cy="14" r="4.6" /></g></${Sample}> written</li>
  <li><${Sample}><${Rope} from="0" to="34" /><g class="cord-knot" transform="translate(17 14)"><path d=${TURNS} /></g></${Sample}> used in a session</li>
  <li><${Sample}><line x1="0" x2="34" y1="14" y2="14" class="cord-idle" /></${Sample}> not used since</li>
  <li><${Sample}><line x1="0" x2="20" y1="14" y2="14" class="cord-idle" /><g class="cord-end"><path d="M21 8.5v11" /></g></${Sample}> ended: put away</li>
  <li><${Sample}><${Rope} from="0" to="28" half=${3} /><g class="cord-eye"><circle cx="28" cy="14" r="4" /></g></${Sample}> core: never fades</li>
  <li class="quiet">Used within ${count(windows.active, 'session')}: active. Not for more than ${windows.archive}: put away by the next review. ${count(total, 'session')} are shown${earlier ? `, ${earlier} are older` : ''}.</li></ul>`;

/** The same as a table, for screen readers and for whoever likes numbers. */
export function Table({ cords }) {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Facts as a table"><table class="table"><caption class="hush">Facts, how often and when they were used, and what happens next</caption>
    <thead><tr><th scope="col">Fact</th><th scope="col">Section</th><th scope="col">Tier</th><th scope="col" class="num">Uses</th><th scope="col">Written</th><th scope="col">Last used</th><th scope="col" class="num">Sessions since</th><th scope="col">What happens next</th></tr></thead>
    <tbody>${cords.facts.map((fact) => html`<tr key=${fact.id}><th scope="row"><a href="/m/${part(fact.id)}"><${Line} text=${fact.title} most=${110} /></a></th><td>${plain(fact.section)}</td><td>${word(fact.tier)}</td><td class="num">${fact.uses}</td><td>${fact.created}</td><td>${fact.last_used}</td><td class="num">${fact.sessions_since_last_use}</td><td>${fate(fact, cords.windows)}</td></tr>`)}</tbody></table></div>`;
}
