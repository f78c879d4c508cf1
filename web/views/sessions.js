// Sessions: what is being worked on, and the logs of what was.
import { html, useState } from '../vendor/preact.js';
import { act } from '../lib/act.js';
import { part } from '../lib/api.js';
import { Fresh, useGet } from '../lib/live.js';
import { Line, Time, Words, count, plain } from '../lib/text.js';
import { Ask, Chip, Command, Empty, Head, Knot, Loaded, Section } from '../lib/ui.js';
import { usePages } from './memories.js';

const begun = (id) => id.replace(/^(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)(\d\d).*$/, '$1T$2:$3:$4Z');

function Open({ one }) {
  const [asking, setAsking] = useState(null);
  const path = `/sessions/${part(one.id)}`;
  const used = [...new Set(one.events.filter((event) => event.event === 'referenced').map((event) => event.id))];
  return html`<li class="open-session" data-row><p class="meta"><${Chip} kind="tier-active">open</${Chip}><b>${plain(one.agent ?? 'somebody')}</b>${one.user && html`<span>for ${plain(one.user)}</span>`}<span>since <${Time} at=${one.started} /></span></p>
    <a data-open class="row-link" href=${path}>${plain(one.id)}</a>
    ${one.notes.length > 0 && html`<ul class="notes">${one.notes.map((note, n) => html`<li key=${n}><${Chip}>${note.kind}</${Chip}> <${Line} text=${note.text} /></li>`)}</ul>`}
    ${used.length > 0 && html`<p class="meta">used ${used.map((id) => html`<a key=${id} href="/m/${part(id)}">${plain(id)}</a> `)}</p>`}
    <p class="buttons start"><button onClick=${() => setAsking('note')}>Note something</button><button onClick=${() => setAsking('end')}>End it</button></p>
    ${asking === 'note' && html`<${Ask} title="Note something for the log" label="What was done" isLong action="Note" onClose=${() => setAsking(null)} onDone=${(text) => { setAsking(null); act('Noted', 'POST', `${path}/notes`, { text }); }} />`}
    ${asking === 'end' && html`<${Ask} title="End the session" label="What the next session should know" isLong action="End it" hint="Its log is written to memory/sessions, and stays as it is." onClose=${() => setAsking(null)} onDone=${(text) => { setAsking(null); act('The session is ended', 'POST', `${path}/end`, { next: [text] }); }} />`}</li>`;
}

function All() {
  const list = useGet('/sessions?limit=50', { keys: (data) => data.items.map((one) => one.id) });
  const { items, more } = usePages('/sessions?limit=50', list);
  const months = [];
  for (const one of items) {
    const key = one.id.slice(0, 7);
    if (months[months.length - 1]?.key !== key) months.push({ key, items: [] });
    months[months.length - 1].items.push(one);
  }
  const name = (key) => { const time = new Date(`${key}-01T00:00:00Z`); return Number.isNaN(time.getTime()) ? key : time.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }); };
  return html`<${Head} title="Sessions" aside=${html`<${Fresh} of=${list} />`}>${list.data ? `${count(list.data.total ?? items.length, 'log')}, one for each working session. Facts are counted from them.` : ' '}</${Head}>
  <${Loaded} of=${list} rows=${8}>${(data) => html`
    ${data.open?.length > 0 && html`<${Section} title="Open now" id="open"><ul class="plain-rows">${data.open.map((one) => html`<${Open} key=${one.id} one=${one} />`)}</ul></${Section}>`}
    ${items.length
      ? html`${months.map((month) => html`<section class="day" key=${month.key} aria-labelledby=${`m-${month.key}`}><h2 id=${`m-${month.key}`}>${name(month.key)}</h2><ul class="entries wide-hours">${month.items.map((one) => html`<li class="entry" data-row key=${one.id}><${Knot} kind="session" /><span class="entry-hour"><${Time} at=${begun(one.id)} /></span><div class="row-words"><a class="row-link" data-open href="/sessions/${part(one.id)}"><${Line} text=${one.summary || one.id} /></a><p class="meta">${one.agent && html`<span>${plain(one.agent)}</span>`}</p></div></li>`)}</ul></section>`)}${more}`
      : html`<${Empty} title="No session has ended yet.">An agent begins one with <code>quipu session start</code>, and its log is written when it ends.</${Empty}>`}`}</${Loaded}>
  <${Command} words=${['session', 'list']} />`;
}

function One({ id }) {
  const of = useGet(`/sessions/${part(id)}`);
  return html`<${Head} title=${html`Session <bdi>${plain(id)}</bdi>`} aside=${html`<a class="button" href="/timeline?session=${part(id)}">Its memories</a>`} />
  <${Loaded} of=${of} rows=${6}>${(data) => (data.text !== undefined
    ? html`<article class="log"><${Words} text=${linked(data.text)} first=${20_000} /></article>${data.path && html`<p class="meta"><code>${plain(data.path)}</code></p>`}`
    : html`<ul class="plain-rows"><${Open} one=${data.session} /></ul>`)}</${Loaded}><${Command} words=${['session', 'show', id]} />`;
}

/** A log repeats its id in the first heading, which the page has already. */
const linked = (text) => text.replace(/^# Session[^\n]*\n/, '');

export const Sessions = ({ parts }) => (parts[0] ? html`<${One} key=${parts[0]} id=${parts[0]} />` : html`<${All} />`);
