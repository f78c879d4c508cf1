// Names: who and what the memory is about, and how they hang together.
import { html, useState } from '../vendor/preact.js';
import { act } from '../lib/act.js';
import { part, query } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { Words, count, plain } from '../lib/text.js';
import { Ask, Chip, Command, Empty, Head, Loaded, Row, Section, Tabs } from '../lib/ui.js';
import { Graph, NameMap, named } from './graph.js';
import { usePages } from './memories.js';

const Top = ({ isMap }) => html`<${Head} title="Names">People, places, files, identifiers and terms that memories mention.</${Head}>
  <${Tabs} label="How names are shown" items=${[['/names', 'List', !isMap], ['/names?as=map', 'Map', isMap]]} />`;

function All({ query: said }) {
  const [words, kind] = ['q', 'kind'].map((name) => said.get(name) ?? '');
  const path = `/entities${query({ limit: 200, q: words })}`;
  const list = useGet(path);
  const { items, more } = usePages(path, list);
  const kinds = [...new Set(items.map((one) => one.kind))];
  // Days are names too, and would bury the others.
  const shown = items.filter((one) => (kind ? one.kind === kind : one.kind !== 'date'));
  const most = Math.max(1, ...shown.map((one) => one.mentions));
  return html`<${Top} />
  <div class="filters"><label>Filter <input type="search" value=${words} onInput=${(event) => refine({ q: event.target.value.trim() })} /></label>
    <div class="choices" role="group" aria-label="Kind"><button aria-pressed=${String(!kind)} onClick=${() => refine({ kind: '' })}>All${kinds.includes('date') && ' but dates'}</button>${kinds.map((one) => html`<button key=${one} aria-pressed=${String(kind === one)} onClick=${() => refine({ kind: one })}>${plain(one)}</button>`)}</div></div>
  <${Loaded} of=${list} rows=${8}>${() => (shown.length
    ? html`<ul class="names">${shown.map((one) => html`<li key=${one.name} data-row><a data-open href="/names/${part(one.name)}"><span class="name"><bdi>${plain(named(one))}</bdi></span><span class="quiet">${plain(one.kind)}${one.aliases.length > 0 && html`, also ${plain(one.aliases.join(', '))}`}</span></a><span class="mentions"><meter min="0" max=${most} value=${one.mentions} aria-hidden="true"></meter><span>${count(one.mentions, 'mention')}</span></span></li>`)}</ul>${more}`
    : html`<${Empty} title=${words || kind ? 'No name fits.' : 'No name is known yet.'}>${words || kind ? html`<a href="/names">Show all</a>` : 'Names come from what is remembered: people, files, identifiers, addresses.'}</${Empty}>`)}</${Loaded}>
  <${Command} words=${['entity', 'list', words]} />`;
}

function One({ name }) {
  const path = `/entities/${part(name)}`;
  const [of, graph] = [useGet(`${path}?limit=40`), useGet(`${path}/graph`)];
  const { items, more } = usePages(`${path}?limit=40`, of);
  const [asking, setAsking] = useState(null);
  const close = () => setAsking(null);
  // Whatever has a sign in it is a file or an identifier, and is written as it is.
  const shown = named({ name: of.data?.name ?? name, kind: /^[\p{L} '-]+$/u.test(name) ? 'name' : 'other' });
  const card = (of.data?.card ?? '').replace(/^\[Peer card\][^\n]*\n/, '');
  return html`<${Head} title=${shown} aside=${html`<button onClick=${() => setAsking('alias')}>Another name for it</button><button onClick=${() => setAsking('merge')}>Merge</button>`}>
    ${of.data ? html`${of.data.aliases.length ? html`Also ${of.data.aliases.map((one) => html`<${Chip} key=${one}>${plain(one)} <button class="plain" aria-label=${`Take away the name ${one}`} onClick=${() => act('Name taken away', 'DELETE', `${path}/aliases/${part(one)}`)}>×</button></${Chip}> `)}` : 'What is known about it, and what is mentioned with it.'}` : ' '}</${Head}>
  <div class="columns"><div class="wide">
    ${card && html`<${Section} title="Card" id="card"><div class="card"><${Words} text=${card} /></div></${Section}>`}
    <${Section} title="What mentions it" id="mentions"><${Loaded} of=${of} rows=${6}>${() => (items.length ? html`<ul class="rows">${items.map((item) => html`<${Row} key=${item.id} item=${item} />`)}</ul>${more}` : html`<p class="quiet">Nothing does any more.</p>`)}</${Loaded}></${Section}>
  </div><div><${Section} title="Mentioned together" id="together"><${Loaded} of=${graph} rows=${4}>${(data) => html`<${Graph} graph=${data} />`}</${Loaded}></${Section}></div></div>
  ${asking === 'alias' && html`<${Ask} title=${`Another name for ${shown}`} label="Name" action="Add" onClose=${close} onDone=${(alias) => { close(); act('Name added', 'POST', `${path}/aliases`, { alias }); }} />`}
  ${asking === 'merge' && html`<${Ask} title=${`${shown} is the same as …`} label="The name that stays" action="Merge" hint="Both names then mean one thing." onClose=${close} onDone=${(into) => { close(); act('Merged', 'POST', `${path}/merge`, { into }); }} />`}
  <${Command} words=${['entity', 'show', name]} />`;
}

function Mapped({ query: said }) {
  return html`<${Top} isMap /><${NameMap} limit=${said.get('limit') ?? ''} /><${Command} words=${['entity', 'map']} />`;
}

export const Names = ({ parts, query: said }) => (parts[0] ? html`<${One} key=${parts[0]} name=${parts[0]} />` : said.get('as') === 'map' ? html`<${Mapped} query=${said} />` : html`<${All} query=${said} />`);
