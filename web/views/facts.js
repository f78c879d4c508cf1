// Facts: the cords, the table, and writing a new one.
import { html, useState } from '../vendor/preact.js';
import { act, complain } from '../lib/act.js';
import { ask, query } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { Line, Words, plain } from '../lib/text.js';
import { Command, Dialog, Empty, Head, Loaded, Tabs, command } from '../lib/ui.js';
import { Cords, Table } from './cords.js';

const SECTIONS = ['Key Decisions', 'Conventions'];

/** Writes a fact, or shares a memory as one. Where it may contradict another fact, asks what is so. */
export function WriteFact({ sections = SECTIONS, text: shared, path = '/facts', onClose }) {
  const [typed, setText] = useState('');
  const text = shared ?? typed;
  const [section, setSection] = useState(sections.includes(SECTIONS[0]) ? SECTIONS[0] : (sections[0] ?? SECTIONS[0]));
  const [near, setNear] = useState(null);
  const [old, setOld] = useState('');
  const body = shared === undefined ? { text: text.trim(), section } : { section };
  const title = shared === undefined ? 'Write a fact' : 'Share with the team';
  const write = async (more) => {
    if (await act(shared === undefined ? 'Fact written' : 'Shared: it is a fact now', 'POST', path, { ...body, ...more })) onClose();
  };
  const begin = async (event) => {
    event.preventDefault();
    try {
      const { candidates } = await ask('POST', `${path}?dry_run=true`, body);
      if (!candidates?.length) return void write({});
      setNear(candidates);
      setOld(candidates[0].id);
    } catch (problem) {
      complain(problem);
    }
    return undefined;
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    ${near
      ? html`<h2>Does this contradict what is known?</h2><${Words} text=${text} quote />
        <fieldset class="near"><legend>Already known</legend>${near.map((one) => html`<label key=${one.id} class="choice"><input type="radio" name="near" checked=${old === one.id} onChange=${() => setOld(one.id)} /><span><${Line} text=${one.text} /><span class="quiet">${plain(one.reasons.join('; '))}${one.is_core && '; it is core'}</span></span></label>`)}</fieldset>
        <div class="answers">
          <button onClick=${() => write({ supersedes: old, ...(near.find((one) => one.id === old)?.is_core ? { confirm_core: true } : {}) })}><b>The new one replaces it</b><span>The old fact goes to the archive and names its successor.</span></button>
          <button onClick=${() => write({ agree: true })}><b>Both are true</b><span>They do not contradict each other.</span></button>
          <button onClick=${() => write({ raise: true })}><b>I cannot tell yet</b><span>Write it, and open a thread about the contradiction.</span></button></div>
        <p class="buttons"><button class="plain" onClick=${() => setNear(null)}>Back</button></p>`
      : html`<form onSubmit=${begin}><h2>${title}</h2><p class="quiet">One thing that is true of the project, in a sentence. It is shared with the team, in memory/continuity.md.</p>
        ${shared === undefined ? html`<label>Fact<textarea rows="3" autofocus value=${text} onInput=${(event) => setText(event.target.value)}></textarea></label>` : html`<${Words} text=${text} quote />`}
        <label>Section<select value=${section} onChange=${(event) => setSection(event.target.value)}>${[...new Set([...sections, ...SECTIONS])].map((one) => html`<option key=${one}>${one}</option>`)}</select></label>
        <p class="buttons"><button type="button" class="plain" onClick=${onClose}>Cancel</button><button class="main" disabled=${!text.trim()}>${shared === undefined ? 'Write' : 'Share'}</button></p></form>`}
  </${Dialog}>`;
}

export function Facts({ query: said }) {
  const [as, sort, all, words] = ['as', 'sort', 'all', 'q'].map((name) => said.get(name) ?? '');
  const [isAdding, setAdding] = useState(false);
  const cords = useGet(`/cords${query({ sessions: 60, all: all && 'true' })}`);
  const isTable = as === 'table';
  const here = (values) => `/facts${query({ as, sort, all, ...values })}`;
  return html`<${Head} title="Facts" aside=${html`<button class="main" onClick=${() => setAdding(true)}>Write a fact</button>`}>What is true of the project. Each fact is a cord, each use of it a knot; what nobody uses fades, and says so here first.</${Head}>
  <${Loaded} of=${cords} rows=${10}>${(data) => (data.facts.length
    ? html`<div class="filters">
        <${Tabs} label="How facts are shown" items=${[[here({ as: '' }), 'Cords', !isTable], [here({ as: 'table' }), 'Table', isTable]]} />
        ${!isTable && html`<label>Order <select value=${sort} onChange=${(event) => refine({ sort: event.target.value })}><option value="">by section</option><option value="fading">fading first</option><option value="used">most used first</option></select></label>
        <label>Filter <input type="search" value=${words} size="14" onInput=${(event) => refine({ q: event.target.value })} /></label>`}
        <label class="check"><input type="checkbox" checked=${!!all} onChange=${(event) => refine({ all: event.target.checked })} /> also archived</label></div>
      ${isTable ? html`<${Table} cords=${data} />` : html`<${Cords} cords=${data} sort=${sort} words=${words} />`}`
    : html`<${Empty} title="No fact is written yet.">A fact is one thing that is true of the project, such as a decision and its reason. <button class="plain" onClick=${() => setAdding(true)}>Write the first</button>, or let <code>${command('harvest')}</code> propose some from your documents.</${Empty}>`)}</${Loaded}>
  ${isAdding && html`<${WriteFact} sections=${[...new Set((cords.data?.facts ?? []).map((one) => one.section))].filter((one) => one !== 'Open Threads')} onClose=${() => setAdding(false)} />`}
  <${Command} words=${['fact', isTable ? 'list' : 'cords', ...(all ? ['--all'] : [])]} />`;
}
