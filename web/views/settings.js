// Settings: what holds here, who you are, and what was changed.
import { html, useState } from '../vendor/preact.js';
import { act, complain } from '../lib/act.js';
import { ask, me } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { Time, Words, count, plain, ticks } from '../lib/text.js';
import { useValue } from '../lib/state.js';
import { Ask, Chip, Command, Head, Loaded, Section } from '../lib/ui.js';
import { usePages } from './memories.js';

const WINDOWS = [['working_window', 'A new fact is “working” for this many sessions'], ['active_window', 'Used within this many sessions: active'], ['archive_window', 'Not used for more: put away by the review'], ['review_every', 'Sessions from one review to the next'], ['verify_invariants_every', 'Sessions until a person confirms the invariants again'], ['continuity_max_facts', 'More facts than this make a review due']];

const undo = (id) => act('Taken back', 'POST', `/changes/${encodeURIComponent(id)}/undo`);

/** Which agents are connected, and whether the installation is sound. */
function Clients() {
  const of = useGet('/clients');
  const [checks, setChecks] = useState(null);
  const examine = async () => {
    setChecks([]);
    try {
      setChecks((await ask('POST', '/doctor')).checks);
    } catch (problem) {
      setChecks(null);
      complain(problem);
    }
  };
  const wrong = (checks ?? []).filter((one) => one.state === 'wrong');
  return html`<${Section} title="Agents" id="clients" aside=${html`<button class="plain" onClick=${examine}>Examine</button>`}><${Loaded} of=${of} rows=${3}>${({ clients }) => {
    const here = clients.filter((one) => one.installed || one.found.length);
    return html`${here.length ? html`<dl class="policy">${here.map((one) => html`<div key=${one.client}><dt>${plain(one.title)}</dt><dd>${one.installed ? html`<${Chip} kind="tier-active">connected</${Chip}>` : html`<${Chip}>found</${Chip}>`}</dd></div>`)}</dl>` : html`<p class="quiet">No agent was found on this machine.</p>`}<p class="quiet"><code>quipu install</code> connects them.</p>`;
  }}</${Loaded}>
  <div role="status">${checks && (checks.length ? html`<p class=${wrong.length ? 'notice' : 'calm'}>${wrong.length ? count(wrong.length, 'thing is', 'things are') : 'Nothing is'} wrong; ${count(checks.length, 'thing was', 'things were')} examined.</p><ul class="findings">${wrong.map((one) => html`<li key=${one.name}><p>${ticks(one.what)}</p><p class="quiet">${ticks(one.why)}</p><p>${ticks(one.mend)}</p></li>`)}</ul>` : html`<p class="quiet">Examining …</p>`)}</div></${Section}>`;
}

/** Programs that have a token, which is shown once. */
function Tokens() {
  const of = useGet('/tokens');
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState(null);
  const add = async (name) => {
    setAdding(false);
    const done = await act(`${name} has a token`, 'POST', '/tokens', { name });
    if (done) setMade(done);
    of.reload();
  };
  const revoke = async (name) => {
    await act(`The token of ${name} is taken away`, 'DELETE', `/tokens/${encodeURIComponent(name)}`);
    of.reload();
  };
  return html`<${Section} title="Tokens" id="tokens" aside=${html`<button class="plain" onClick=${() => setAdding(true)}>Make one</button>`}><${Loaded} of=${of} rows=${2}>${({ items }) => (items.length ? html`<ul class="changes">${items.map((one) => html`<li key=${one.name}><div><p>${plain(one.name)}</p><p class="meta"><span>${one.scope}</span>${one.created && html`<${Time} at=${one.created} />`}</p></div><button onClick=${() => revoke(one.name)} aria-label=${`Take away the token of ${one.name}`}>Take away</button></li>`)}</ul>` : html`<p class="quiet">No program has a token. One lets a program read and write over HTTP.</p>`)}</${Loaded}>
  ${made && html`<p class="notice">The token of ${plain(made.name)}, shown once: <code>${plain(made.token)}</code></p>`}
  ${isAdding && html`<${Ask} title="A token for a program" label="Name of the program" hint="It may read and write. The token is shown once." action="Make it" onClose=${() => setAdding(false)} onDone=${add} />`}</${Section}>`;
}

const told = (value) => (value === null || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value));

function Config() {
  const of = useGet('/config');
  const list = (all) => html`<dl class="policy">${all.map((one) => html`<div key=${one.key}><dt><code>${one.key}</code> ${one.place && html`<span class="quiet">${plain(one.place)}</span>`}</dt><dd>${plain(told(one.value))}</dd></div>`)}</dl>`;
  return html`<${Section} title="Settings in force" id="config"><${Loaded} of=${of} rows=${3}>${({ settings }) => {
    const changed = settings.filter((one) => one.source !== 'default');
    const usual = settings.filter((one) => one.source === 'default');
    return html`${changed.length ? list(changed) : html`<p class="quiet">None was changed.</p>`}<details><summary>${usual.length} at their default</summary>${list(usual)}</details>`;
  }}</${Loaded}></${Section}>`;
}

const Machine = () => html`<${Clients} /><${Tokens} /><${Config} />`;

export function Settings() {
  const [status, user, changes] = [useGet('/status'), useGet('/user'), useGet('/changes?limit=20')];
  const { items, more } = usePages('/changes?limit=20', changes);
  const [isEditing, setEditing] = useState(false);
  const who = useValue(me);
  const leave = async () => {
    try {
      await ask('POST', '/sign-out');
      me.value = null;
    } catch (problem) {
      complain(problem);
    }
  };
  return html`<${Head} title="Settings" aside=${html`<button onClick=${leave}>Sign out</button>`}>${who && html`Signed in as ${plain(who.name ?? 'a person')}${who.person ? ', a person' : ''}: may ${who.permission === 'admin' ? 'do everything' : who.permission === 'write' ? 'read and write' : 'read'}.`}</${Head}>
  <div class="columns"><div class="wide">
    <${Section} title="What was changed" id="changes"><${Loaded} of=${changes} rows=${6}>${() => html`<ul class="changes">${items.map((one) => html`<li key=${one.id} data-row class=${one.is_undone ? 'undone' : ''}><div><p>${ticks(one.what?.[0] ?? one.operation)}${one.what?.length > 1 && html` <span class="quiet">and ${one.what.length - 1} more</span>`}</p><p class="meta"><span>${plain(one.operation)}</span><span>${plain(one.by)}</span><${Time} at=${one.at} /></p></div>${one.is_undone ? html`<${Chip} kind="off">undone</${Chip}>` : one.paths?.length > 0 || one.what?.length > 0 ? html`<button data-open onClick=${() => undo(one.id)} aria-label=${`Undo: ${one.what?.[0] ?? one.operation}`}>Undo</button>` : null}</li>`)}</ul>${more}`}</${Loaded}></${Section}>
  </div><div>
    <${Section} title="About you" id="user" aside=${html`<button class="plain" onClick=${() => setEditing(true)}>Edit</button>`}><${Loaded} of=${user} rows=${2}>${(data) => (data.text ? html`<${Words} text=${data.text} />` : html`<p class="quiet">USER.md is where you tell agents about yourself. There is none yet.</p>`)}</${Loaded}></${Section}>
    <${Section} title="In force" id="policy"><${Loaded} of=${status} rows=${4}>${({ policy }) => html`<dl class="policy">${WINDOWS.map(([name, says]) => html`<div key=${name}><dt>${says} <code>${name}</code></dt><dd>${policy[name]}</dd></div>`)}</dl><p class="quiet">Change them in memory/decay-policy.md.</p>`}</${Loaded}></${Section}>
    ${who?.permission === 'admin' ? html`<${Machine} />` : html`<${Section} title="Connect" id="connect"><p><code>quipu doctor</code> says which agents are connected, <code>quipu install</code> connects them, <code>quipu token add NAME</code> lets a program in.</p></${Section}>`}
  </div></div>
  ${isEditing && html`<${Ask} title="About you" label="USER.md" isLong value=${user.data?.text ?? ''} action="Save" onClose=${() => setEditing(false)} onDone=${(text) => { setEditing(false); act('Saved', 'PUT', '/user', { text }); }} />`}
  <${Command} words=${['undo', '--list']} />`;
}
