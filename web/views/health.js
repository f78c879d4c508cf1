// Health: what is wrong with the memory, and how to clear it.
import { html, useState } from '../vendor/preact.js';
import { act } from '../lib/act.js';
import { me, part } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { useValue } from '../lib/state.js';
import { count, plain, ticks } from '../lib/text.js';
import { Chip, Command, Head, Loaded, Section } from '../lib/ui.js';

const bytes = (n) => (n > 1_048_576 ? `${(n / 1_048_576).toFixed(1)} MiB` : `${Math.round(n / 1024)} KiB`);

export function Health() {
  const [lint, drift, stats, status] = [useGet('/lint?limit=200'), useGet('/drift'), useGet('/stats'), useGet('/status')];
  const [proof, setProof] = useState('');
  const prove = async () => {
    const done = await act('The index was made anew', 'POST', '/replay');
    if (done) setProof(done.equal ? 'The index is what the files say.' : `The index differed: ${count(done.differences?.length, 'difference')}. It is what the files say now.`);
  };
  const isAdmin = useValue(me)?.permission === 'admin';
  return html`<${Head} title="Health">Every finding says how to clear it.</${Head}>
  <${Section} title="Memory folder" id="lint"><${Loaded} of=${lint} rows=${4}>${(data) => (data.items.length
    ? html`<p>${count(data.errors ?? 0, 'error')} and ${count(data.warnings ?? 0, 'warning')}.</p><ul class="findings">${data.items.map((one, n) => html`<li key=${n} data-row class=${one.severity}><p><${Chip} kind=${one.severity === 'error' ? 'bad' : 'warn'}>${one.severity === 'error' ? 'error' : 'warning'}</${Chip}> ${one.subject ? html`<a data-open href="/m/${part(one.subject)}">${ticks(one.message)}</a>` : ticks(one.message)}</p><p class="quiet">${ticks(one.hint ?? '')}</p><p class="meta"><code>${plain(one.path)}${one.line ? `:${one.line}` : ''}</code><span>${plain(one.code)}</span></p></li>`)}</ul>`
    : html`<p class="calm">Nothing is wrong with the memory folder.</p>`)}</${Loaded}></${Section}>
  <${Section} title="Drift" id="drift" aside=${html`<a href="/review/drift">All of it</a>`}><${Loaded} of=${drift} rows=${2}>${(data) => html`<p>${data.items.length ? `${count(data.items.length, 'claim')} about the code no longer ${data.items.length === 1 ? 'holds' : 'hold'}.` : `No claim about the code has drifted. ${count(data.claims ?? 0, 'claim')} ${data.claims === 1 ? 'was' : 'were'} compared with git’s history.`}</p>`}</${Loaded}></${Section}>
  <${Section} title="Index" id="index"><${Loaded} of=${stats} rows=${3}>${(data) => html`<dl class="numbers">${[['Memories', data.items.toLocaleString('en')], ['Names', data.entities.toLocaleString('en')], ['Events', data.events.toLocaleString('en')], ['Vectors', `${data.embedded.toLocaleString('en')} of ${plain(data.model ?? 'no model')}`], ['Database', bytes(data.bytes)]].map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <p class="quiet">The index is made from the files, and can be made anew at any time.</p>
    ${isAdmin && html`<p class="buttons start"><button onClick=${prove}>Make it anew and compare</button></p>`}<p role="status">${proof}</p>`}</${Loaded}></${Section}>
  ${(status.data?.journal?.warnings ?? []).map((one) => html`<p class="notice" key=${one}>${ticks(one)}</p>`)}
  <${Command} words=${['lint']} />`;
}
