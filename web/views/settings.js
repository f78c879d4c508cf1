// Settings: what holds here, who you are, and what was changed.
import { html, useState } from '../vendor/preact.js';
import { act, complain } from '../lib/act.js';
import { ask, me } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { Time, Words, plain } from '../lib/text.js';
import { Ask, Chip, Command, Head, Loaded, Section } from '../lib/ui.js';
import { usePages } from './memories.js';

const WINDOWS = [['working_window', 'A new fact is “working” for this many sessions'], ['active_window', 'Used within this many sessions: active'], ['archive_window', 'Not used for more: put away by the review'], ['review_every', 'Sessions from one review to the next'], ['verify_invariants_every', 'Sessions until a person confirms the invariants again'], ['continuity_max_facts', 'More facts than this make a review due']];

const undo = (id) => act('Taken back', 'POST', `/changes/${encodeURIComponent(id)}/undo`);

export default function Settings() {
  const [status, user, changes] = [useGet('/status'), useGet('/user'), useGet('/changes?limit=20')];
  const { items, more } = usePages('/changes?limit=20', changes);
  const [isEditing, setEditing] = useState(false);
  const leave = async () => {
    try {
      await ask('POST', '/sign-out');
      me.value = null;
    } catch (problem) {
      complain(problem);
    }
  };
  return html`<${Head} title="Settings" aside=${html`<button onClick=${leave}>Sign out</button>`}>${me.value && html`Signed in as ${plain(me.value.name ?? 'a person')}${me.value.person ? ', a person' : ''}: may ${me.value.permission === 'admin' ? 'do everything' : me.value.permission === 'write' ? 'read and write' : 'read'}.`}</${Head}>
  <div class="columns"><div class="wide">
    <${Section} title="What was changed" id="changes"><${Loaded} of=${changes} rows=${6}>${() => html`<ul class="changes">${items.map((one) => html`<li key=${one.id} data-row class=${one.is_undone ? 'undone' : ''}><div><p>${plain(one.what?.[0] ?? one.operation)}${one.what?.length > 1 && html` <span class="quiet">and ${one.what.length - 1} more</span>`}</p><p class="meta"><span>${plain(one.operation)}</span><span>${plain(one.by)}</span><${Time} at=${one.at} /></p></div>${one.is_undone ? html`<${Chip} kind="off">undone</${Chip}>` : one.paths?.length > 0 || one.what?.length > 0 ? html`<button data-open onClick=${() => undo(one.id)} aria-label=${`Undo: ${one.what?.[0] ?? one.operation}`}>Undo</button>` : null}</li>`)}</ul>${more}`}</${Loaded}></${Section}>
  </div><div>
    <${Section} title="About you" id="user" aside=${html`<button class="plain" onClick=${() => setEditing(true)}>Edit</button>`}><${Loaded} of=${user} rows=${2}>${(data) => (data.text ? html`<${Words} text=${data.text} />` : html`<p class="quiet">USER.md is where you tell agents about yourself. There is none yet.</p>`)}</${Loaded}></${Section}>
    <${Section} title="In force" id="policy"><${Loaded} of=${status} rows=${4}>${({ policy }) => html`<dl class="policy">${WINDOWS.map(([name, says]) => html`<div key=${name}><dt>${says} <code>${name}</code></dt><dd>${policy[name]}</dd></div>`)}</dl><p class="quiet">Change them in memory/decay-policy.md.</p>`}</${Loaded}></${Section}>
    <${Section} title="Connect" id="connect"><p><code>quipu doctor</code> says which agents are connected, <code>quipu install</code> connects them, <code>quipu token add NAME</code> lets a program in.</p></${Section}>
  </div></div>
  ${isEditing && html`<${Ask} title="About you" label="USER.md" isLong value=${user.data?.text ?? ''} action="Save" onClose=${() => setEditing(false)} onDone=${(text) => { setEditing(false); act('Saved', 'PUT', '/user', { text }); }} />`}
  <${Command} words=${['undo', '--list']} />`;
}
