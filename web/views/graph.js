// Names that are mentioned together: around one name, and all of them as a map. Both are drawn the same every time.
import { html } from '../vendor/preact.js';
import { part, query } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { count, plain } from '../lib/text.js';
import { Empty, Loaded } from '../lib/ui.js';

const MOST = 12;

/** Names are kept in small letters; people read them with a capital. */
export const named = ({ name, kind }) => (kind === undefined || kind === 'name' ? name.charAt(0).toUpperCase() + name.slice(1) : name);

const short = (text) => (text.length > 18 ? `${text.slice(0, 17)}…` : text);

/** A cord between two places, which hangs a little. */
const hanging = (/** @type {number[]} */ [x, y], /** @type {number[]} */ [to, down]) => `M${x} ${y}Q${(x + to) / 2} ${(y + down) / 2 + Math.abs(to - x) / 9} ${to} ${down}`;

/** Names around one name: the more they share, the nearer and the thicker the cord. */
export function Graph({ graph }) {
  const found = graph.edges.filter((one) => one.from === graph.name || one.to === graph.name).map((one) => ({ name: one.from === graph.name ? one.to : one.from, items: one.items }));
  const near = found.sort((a, b) => b.items - a.items || (a.name < b.name ? -1 : 1)).slice(0, MOST);
  if (!near.length) return html`<p class="quiet">It is mentioned alone.</p>`;
  const most = near[0].items;
  const place = (n) => {
    const angle = (n / near.length) * 2 * Math.PI - Math.PI / 2;
    const far = 64 + 34 * (1 - near[n].items / most) + (n % 2) * 12;
    return [160 + Math.cos(angle) * far * 1.15, 125 + Math.sin(angle) * far * 0.95];
  };
  return html`<svg class="graph" viewBox="0 0 320 250" aria-hidden="true">
    ${near.map((one, n) => html`<path key=${one.name} d=${hanging([160, 125], place(n))} stroke-width=${1.2 + (one.items / most) * 3.5} />`)}
    ${near.map((one, n) => { const [x, y] = place(n); return html`<g key=${one.name}><circle cx=${x} cy=${y} r=${3.5 + (one.items / most) * 3.5} /><text x=${x} y=${y + (y < 120 ? -10 : 19)} text-anchor="middle">${short(named(one))}</text></g>`; })}
    <circle cx="160" cy="125" r="8" class="graph-self" /></svg>
  <ul class="near-names">${near.map((one) => html`<li key=${one.name} data-row><a data-open href="/names/${part(one.name)}"><bdi>${plain(named(one))}</bdi></a> <span class="quiet">${count(one.items, 'memory', 'memories')}</span></li>`)}</ul>
  ${found.length > MOST && html`<p class="quiet">and ${found.length - MOST} more</p>`}`;
}

const [WIDE, HIGH] = [960, 600];
const TURNS = 160;

/** Gives every name a place: names push one another away, cords pull them together, all of them hang in the middle. */
function places(nodes, ties) {
  const all = nodes.map((_, n) => {
    const far = Math.sqrt((n + 0.5) / nodes.length) * 0.45;
    return [Math.cos(n * 2.4) * far * WIDE, Math.sin(n * 2.4) * far * HIGH];
  });
  const room = Math.sqrt((WIDE * HIGH) / nodes.length) * 0.75;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const most = (1 - turn / TURNS) * 40;
    const push = all.map(([x, y]) => [-x * 0.12, -y * 0.2]);
    const pull = (a, b, force) => {
      const [x, y] = [all[b][0] - all[a][0], all[b][1] - all[a][1]];
      const by = force(Math.hypot(x, y) + 0.1);
      push[a][0] += x * by;
      push[a][1] += y * by;
      push[b][0] -= x * by;
      push[b][1] -= y * by;
    };
    for (let a = 0; a < all.length; a += 1) for (let b = a + 1; b < all.length; b += 1) pull(a, b, (far) => -((room * room) / (far * far)));
    for (const { a, b, weight } of ties) pull(a, b, (far) => (far / room) * 0.016 * weight);
    all.forEach((at, n) => {
      const far = Math.hypot(...push[n]);
      const by = Math.min(far, most) / (far || 1);
      at[0] += push[n][0] * by;
      at[1] += push[n][1] * by;
    });
  }
  const span = (axis) => [Math.min(...all.map((one) => one[axis])), Math.max(...all.map((one) => one[axis]))];
  const [[left, right], [top, bottom]] = [span(0), span(1)];
  return all.map(([x, y]) => [60 + ((x - left) / (right - left || 1)) * (WIDE - 120), 30 + ((y - top) / (bottom - top || 1)) * (HIGH - 60)]);
}

const DYES = { name: 0, file: 1, identifier: 2, url: 3, term: 4 };

function Drawn({ nodes, edges }) {
  const known = new Map(nodes.map((one, n) => [one.name, n]));
  const most = Math.max(...edges.map((one) => one.items), 1);
  const ties = edges.map((one) => ({ a: known.get(one.from), b: known.get(one.to), weight: 1 + (one.items / most) * 3 })).filter(({ a, b }) => a !== undefined && b !== undefined);
  const at = places(nodes, ties);
  const large = (one) => 3 + Math.sqrt(one.mentions / nodes[0].mentions) * 9;
  return html`<div class="map-scroll" tabindex="0" role="region" aria-label="A map of names; the list has the same names"><svg class="graph map" viewBox="0 0 ${WIDE} ${HIGH}" aria-hidden="true">
    ${ties.map(({ a, b, weight }) => html`<path key=${`${a} ${b}`} d=${hanging(at[a], at[b])} stroke-width=${weight} />`)}
    ${nodes.map((one, n) => html`<a key=${one.name} href="/names/${part(one.name)}" tabindex="-1" class="dye-${DYES[one.kind] ?? 5}"><circle cx=${at[n][0]} cy=${at[n][1]} r=${large(one)} /><text x=${at[n][0]} y=${at[n][1] - large(one) - 5} text-anchor="middle" class=${n < 40 ? '' : 'rare'}>${short(named(one))}</text></a>`)}</svg></div>`;
}

/** The names that are mentioned most, and which of them are mentioned together. */
export function NameMap({ limit }) {
  const of = useGet(`/graph${query({ limit: limit || 80 })}`);
  return html`<${Loaded} of=${of} rows=${8}>${({ nodes, edges, is_cut: isCut }) => {
    const joined = new Set(edges.flatMap((one) => [one.from, one.to]));
    const all = nodes.filter((one) => one.kind !== 'date');
    const shown = all.filter((one) => joined.has(one.name));
    if (!shown.length) return html`<${Empty} title="No names are mentioned together yet.">Names come from what is remembered: people, files, identifiers, addresses.</${Empty}>`;
    return html`<${Drawn} nodes=${shown} edges=${edges} />
      <p class="filters"><label>At most <select value=${limit} onChange=${(event) => refine({ limit: event.target.value })}>${['', '200', '500'].map((one) => html`<option key=${one} value=${one}>${one || 80} names</option>`)}</select></label><span>A thick cord joins names that share many memories. ${isCut && 'There are more names, which are mentioned less. '}${all.length > shown.length && html`<a href="/names">${count(all.length - shown.length, 'name is', 'names are')}</a> mentioned alone.`}</span></p>`;
  }}</${Loaded}>`;
}
