// Names that are mentioned together: a list first, and a small picture of the nearest, drawn the same every time.
import { html } from '../vendor/preact.js';
import { part } from '../lib/api.js';
import { count, plain } from '../lib/text.js';

const MOST = 12;

/** Names around one name: the more they share, the nearer and the thicker the cord. */
export function Graph({ graph }) {
  const found = graph.edges.filter((one) => one.from === graph.name || one.to === graph.name).map((one) => ({ name: one.from === graph.name ? one.to : one.from, items: one.items }));
  const near = found.sort((a, b) => b.items - a.items || (a.name < b.name ? -1 : 1)).slice(0, MOST);
  if (!near.length) return html`<p class="quiet">It is mentioned alone.</p>`;
  const most = near[0].items;
  const place = (n) => {
    const angle = (n / near.length) * 2 * Math.PI - Math.PI / 2;
    const far = 62 + 38 * (1 - near[n].items / most) + (n % 2) * 14;
    return [160 + Math.cos(angle) * far * 1.15, 130 + Math.sin(angle) * far * 0.95];
  };
  const short = (text) => (text.length > 16 ? `${text.slice(0, 15)}…` : text);
  return html`<svg class="graph" viewBox="0 0 320 260" aria-hidden="true">
    ${near.map((one, n) => { const [x, y] = place(n); return html`<line key=${one.name} x1="160" y1="130" x2=${x} y2=${y} stroke-width=${1 + (one.items / most) * 3} />`; })}
    ${near.map((one, n) => { const [x, y] = place(n); return html`<g key=${one.name}><circle cx=${x} cy=${y} r=${3 + (one.items / most) * 3} /><text x=${x} y=${y + (y < 130 ? -9 : 17)} text-anchor=${x < 110 ? 'start' : x > 210 ? 'end' : 'middle'}>${short(one.name)}</text></g>`; })}
    <circle cx="160" cy="130" r="7" class="graph-self" /></svg>
  <ul class="near-names">${near.map((one) => html`<li key=${one.name} data-row><a data-open href="/names/${part(one.name)}"><bdi>${plain(one.name)}</bdi></a> <span class="quiet">${count(one.items, 'memory', 'memories')}</span></li>`)}</ul>
  ${found.length > MOST && html`<p class="quiet">and ${found.length - MOST} more</p>`}`;
}
