// One memory: its words, why it stands where it stands, where it is from, and what can be done with it.
import { html, useState } from '../vendor/preact.js';
import { act, complain } from '../lib/act.js';
import { ask, part } from '../lib/api.js';
import { useKeys } from '../lib/keys.js';
import { useGet } from '../lib/live.js';
import * as memory from '../lib/memory.js';
import { Line, Time, Words, count, plain } from '../lib/text.js';
import { Ask, Chip, Command, Head, Knot, Loaded, Row, Section, isAway, word } from '../lib/ui.js';
import { OneCord } from './cords.js';
import { WriteFact } from './facts.js';

const percent = (value) => `${Math.round(value * 100)} %`;

/** Of what is left less than this, it has faded. */
const FADED = 0.15;

/** How much of it is left, over time, with every use as a mark. */
function Curve({ curve }) {
  const { points, uses, now } = curve;
  if (!points.length) return null;
  const [from, to] = [points[0][0], points[points.length - 1][0]];
  const x = (days) => 34 + ((days - from) / (to - from || 1)) * 556;
  const y = (value) => 12 + (1 - value) * 116;
  const d = points.map(([days, value], n) => `${n ? 'L' : 'M'}${x(days).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const past = points.filter(([days]) => days <= 0);
  const area = past.length > 1 ? `${past.map(([days, value], n) => `${n ? 'L' : 'M'}${x(days).toFixed(1)} ${y(value).toFixed(1)}`).join('')}L${x(0)} ${y(now).toFixed(1)}V128H${x(from)}Z` : '';
  const says = `${percent(now)} is left today${uses.length ? `, after ${count(uses.length, 'use')}` : ''}. ${curve.fades_in_days === null || curve.fades_in_days === undefined ? 'It does not fade within the time that is shown.' : `It fades in ${count(Math.round(curve.fades_in_days), 'day')}.`}`;
  return html`<figure class="curve"><svg viewBox="0 0 600 156" role="img" aria-label=${says}>
    ${[0, 0.5, 1].map((value) => html`<g key=${value}><line x1="34" x2="590" y1=${y(value)} y2=${y(value)} class="curve-grid" /><text x="28" y=${y(value) + 4} text-anchor="end">${value * 100}</text></g>`)}
    <path d=${area} class="curve-area" /><path d=${d} class="curve-line" />
    <line x1=${x(0)} x2=${x(0)} y1="6" y2="128" class="curve-now" /><circle cx=${x(0)} cy=${y(now)} r="4" class="curve-dot" />
    <line x1="34" x2="590" y1=${y(FADED)} y2=${y(FADED)} class="curve-faded" /><text x="590" y=${y(FADED) - 4} text-anchor="end">faded</text>
    ${uses.map((days) => days >= from && html`<ellipse key=${days} cx=${x(days)} cy="128" rx="2.6" ry="5" class="curve-use" />`)}
    <text x="34" y="150">${x(0) > 130 ? `${count(Math.round(-from), 'day')} ago` : ''}</text><text x=${x(0)} y="150" text-anchor="middle">today</text>${to > 1 && html`<text x="590" y="150" text-anchor="end">in ${count(Math.round(to), 'day')}</text>`}
  </svg><figcaption class="quiet">${says}</figcaption></figure>`;
}

/** What a rule says, in the words of the page. */
const tidy = (text) => plain(String(text ?? '').replace('archive-candidate', 'it fades').replace(/(\S+ sessions? ago) ≤ active_window (\d+)/, '$1; what was used within $2 sessions (active_window) is active').replace('sed 0 sessions ago', 'sed in the newest session'));

function Why({ why }) {
  const terms = (why.numbers?.importance.terms ?? []).filter((one) => Math.abs(one.part) > 0.0005);
  const upper = (text) => String(text ?? '').replace(/^./, (one) => one.toUpperCase());
  return html`<p class="because">${tidy(upper(why.because))}.</p>${why.next && html`<p class="next"><span class="quiet">Next:</span> ${tidy(why.next)}.</p>`}
    ${why.rules.length > 0 && html`<details><summary>The rules, in order; the first that fits decides</summary><ol class="rules">${why.rules.map((one) => html`<li key=${one.rule} class=${one.decided ? 'decided' : ''}>${tidy(one.rule)}${one.decided && html` <b>this one decided</b>`}</li>`)}</ol></details>`}
    ${terms.length > 0 && html`<details><summary>Importance ${why.numbers.importance.value.toFixed(2)}: what it is made of</summary><table class="table"><caption class="hush">Terms of the importance</caption><thead><tr><th scope="col">Term</th><th scope="col" class="num">Value</th><th scope="col" class="num">Weight</th><th scope="col" class="num">Gives</th></tr></thead><tbody>${terms.map((one) => html`<tr key=${one.name}><th scope="row">${plain(one.name)}</th><td class="num">${one.value.toFixed(2)}</td><td class="num">${one.weight.toFixed(2)}</td><td class="num">${one.part.toFixed(3)}</td></tr>`)}</tbody></table></details>`}`;
}

const History = ({ items }) => html`<ul class="entries compact">${items.map((one, n) => html`<li class="entry" key=${n}><span class="entry-hour"><${Time} at=${/T00:00:00Z$/.test(one.at) ? one.at.slice(0, 10) : one.at} /></span><div class="row-words"><span>${plain(one.what.length > 260 ? `${one.what.slice(0, 259)}…` : one.what)}</span><span class="meta"><span>${plain(one.by)}</span>${one.reason && html`<span>${plain(one.reason)}</span>`}</span></div></li>`)}</ul>`;

/** Buttons for a memory. Those of facts and records differ. */
function Actions({ item, isPinned, open }) {
  const about = { id: item.id, isPinned, isAway: isAway(item) };
  const isRecord = item.kind === 'record';
  const isFact = item.kind === 'fact' || item.kind === 'archived-fact';
  const fact = (says, doing, body) => () => act(says, 'POST', `/facts/${part(item.id)}/${doing}`, body);
  const isClosed = item.usage?.state === 'done' || item.usage?.state === 'closed';
  return html`<div class="acts" role="group" aria-label="What to do with it">
    ${item.kind === 'thread' && html`<button onClick=${() => (isClosed ? memory.reopenThread : memory.closeThread)(item.id)}>${isClosed ? 'Open again' : 'Close'}</button>`}
    ${!about.isAway && html`<button onClick=${() => memory.pin(about)} aria-pressed=${String(isPinned)}>${isPinned ? 'Unpin' : 'Pin'} <kbd>p</kbd></button>`}
    ${isRecord && html`<button onClick=${() => memory.confirm(about)}>It is so</button><button onClick=${() => open('challenge')}>Doubt</button><button onClick=${() => open('invalidate')}>Wrong</button>`}
    ${(isRecord || isFact) && html`<button onClick=${() => open('edit')}>Edit</button>`}
    ${isFact && !about.isAway && html`<button onClick=${() => open('supersede')}>Replace</button>`}
    ${isFact && item.tier !== 'core' && !about.isAway && html`<button onClick=${fact('Core now: it never fades', 'core')}>Make core</button>`}
    ${isFact && item.tier === 'core' && html`<button onClick=${fact('Counted again like any fact', 'tier', { auto: true })}>Let it fade again</button>`}
    <button onClick=${() => memory.forget(about)}>${about.isAway ? 'Bring back' : 'Forget'} <kbd>x</kbd></button>
    <details class="menu-more"><summary>More</summary><div>
      ${isRecord && html`<button class="plain" onClick=${() => memory.promote(about)}>Let it last longer</button><button class="plain" onClick=${() => memory.demote(about)}>Let it last less long</button>`}
      <button class="plain" onClick=${() => open('tag')}>Tag</button><button class="plain" onClick=${() => open('link')}>Link to another</button><button class="plain" onClick=${() => open('annotate')}>Write a note beside it</button>
      ${isRecord && html`<button class="plain" onClick=${() => open('merge')}>It says the same as another</button><button class="plain" onClick=${() => open('share')}>Share with the team</button>`}
      ${item.kind === 'fact' && html`<button class="plain" onClick=${() => act('Private now: the team no longer has it', 'POST', `/memories/${part(item.id)}/unshare`)}>Stop sharing it</button>`}
      ${isRecord && html`<button class="plain danger-text" onClick=${() => open('purge')}>Purge for good</button>`}</div></details></div>`;
}

/** Says which files a purge changes; what is typed has to be the id. */
function Purge({ id, onClose }) {
  const [plan, setPlan] = useState(null);
  const [reason, setReason] = useState(null);
  if (reason === null) return html`<${Ask} title="Purge for good" label="Reason" action="Preview" hint="Removes the words from every file and table. This is the one thing that cannot be undone." onClose=${onClose} onDone=${async (text) => {
    try {
      setPlan(await ask('POST', `/memories/${part(id)}/purge?dry_run=true`, { reason: text }));
      setReason(text);
    } catch (problem) {
      complain(problem);
      onClose();
    }
  }} />`;
  return html`<${Ask} title="Purge for good" label=${html`Type <code>${plain(id)}</code> to confirm`} mustBe=${id} action="Purge" isBad onClose=${onClose}
    hint=${html`<span>${count(plan.files.length, 'file')} will change. It does not reach: ${plain(plan.not_reached.join('; '))}.</span>`} onDone=${async () => {
      onClose();
      await act('Purged', 'POST', `/memories/${part(id)}/purge`, { reason, yes: true });
    }} />`;
}

function Dialogs({ kind, item, close }) {
  const about = { id: item.id };
  const done = (doing) => (text) => {
    close();
    doing(text);
  };
  const words = (text) => text.split(/[\s,]+/).map((one) => one.replace(/^#/, '')).filter(Boolean);
  const props = { onClose: close };
  if (kind === 'challenge') return html`<${Ask} ...${props} title="What makes you doubt it?" label="Reason" hint="It is no longer recalled until somebody confirms it." action="Doubt it" onDone=${done((text) => memory.challenge(about, text))} />`;
  if (kind === 'invalidate') return html`<${Ask} ...${props} title="What is wrong with it?" label="Reason" hint="It stays in the history, and is no longer recalled." action="Mark as wrong" onDone=${done((text) => memory.invalidate(about, text))} />`;
  if (kind === 'edit') return html`<${Ask} ...${props} title="Change the words" label="Words" isLong value=${item.text} action="Save" hint=${item.tier === 'core' ? 'It is core: by saving you confirm the change.' : undefined} onDone=${done((text) => memory.edit(about, text, item.tier === 'core'))} />`;
  if (kind === 'supersede') return html`<${Ask} ...${props} title="Which fact replaces it?" label="Id of the new fact" hint="The old fact goes to the archive and names its successor." action="Replace" onDone=${done((text) => act('Replaced', 'POST', `/facts/${part(item.id)}/supersede`, { by: text, ...(item.tier === 'core' ? { confirm_core: true } : {}) }))} />`;
  if (kind === 'tag') return html`<${Ask} ...${props} title="Tags" label="Words, with spaces between them" value=${(item.tags ?? []).join(' ')} action="Save" onDone=${done((text) => memory.tag(about, words(text).filter((one) => !(item.tags ?? []).includes(one)), (item.tags ?? []).filter((one) => !words(text).includes(one))))} />`;
  if (kind === 'link') return html`<${Ask} ...${props} title="Link to another memory" label="Its id" action="Link" onDone=${done((text) => memory.link(about, text))} />`;
  if (kind === 'merge') return html`<${Ask} ...${props} title="Which memory says the same?" label="The id of the one that stays" hint="This one then stands behind it, and is no longer recalled by itself." action="Merge" onDone=${done((text) => act('Merged', 'POST', `/memories/${part(item.id)}/merge`, { into: text }))} />`;
  if (kind === 'share') return html`<${WriteFact} text=${item.text} path=${`/memories/${part(item.id)}/share`} onClose=${close} />`;
  if (kind === 'annotate') return html`<${Ask} ...${props} title="A note beside it" label="Note" isLong action="Write" onDone=${done((text) => memory.annotate(about, text))} />`;
  if (kind === 'purge') return html`<${Purge} id=${item.id} onClose=${close} />`;
  return null;
}

const Chain = ({ title, ids }) => ids.length > 0 && html`<div class="chain"><dt>${title}</dt><dd>${ids.map((id) => html`<${Linked} key=${id} id=${id} />`)}</dd></div>`;

function Linked({ id }) {
  const of = useGet(`/memories/${part(id)}`);
  return html`<a href="/m/${part(id)}">${of.data ? html`<${Line} text=${of.data.text} most=${120} />` : plain(id)}</a>`;
}

function Origin({ item }) {
  const { provenance, sessions } = item;
  const [isOpen, setOpen] = useState(false);
  return html`<dl class="origin">
    <div><dt>File</dt><dd><code>${plain(provenance.path ?? 'none')}${provenance.line ? `:${provenance.line}` : ''}</code>${provenance.section && html` <span class="quiet">${plain(provenance.section)}</span>`}</dd></div>
    ${provenance.created && html`<div><dt>Since</dt><dd><${Time} at=${provenance.created} /></dd></div>`}
    ${provenance.origin && html`<div><dt>From session</dt><dd><a href="/sessions/${part(provenance.origin)}">${plain(provenance.origin)}</a></dd></div>`}
    <${Chain} title="Replaces" ids=${item.supersedes ?? []} /><${Chain} title="Replaced by" ids=${item.superseded_by ? [item.superseded_by] : []} />
    ${sessions.length > 0 && html`<div><dt>Used in</dt><dd>${(isOpen ? sessions : sessions.slice(-5)).slice().reverse().map((id) => html`<a class="session-link" key=${id} href="/sessions/${part(id)}">${plain(id.slice(0, 10))}</a> `)}${sessions.length > 5 && !isOpen && html`<button class="plain" onClick=${() => setOpen(true)}>and ${sessions.length - 5} earlier</button>`}</dd></div>`}
    <div><dt>Id</dt><dd><code>${plain(item.id)}</code></dd></div></dl>`;
}

function Memory({ id }) {
  const path = `/memories/${part(id)}`;
  const item = useGet(path);
  const [why, curve, history, similar, questions] = [useGet(`${path}/why`), useGet(item.data && !item.data.usage ? `${path}/curve` : null), useGet(`${path}/history`), useGet(`${path}/similar?limit=6`), useGet('/questions?limit=200')];
  const [open, setOpen] = useState(null);
  const isPinned = !!why.data?.numbers?.pinned;
  const status = item.data?.status;
  const isFact = !!item.data?.usage;
  const cords = useGet(isFact ? '/cords?sessions=60&all=true' : null);
  useKeys(item.data?.kind === 'record' ? { e: () => setOpen('edit') } : {});
  const asked = (questions.data?.items ?? []).filter((one) => one.subjects.some((subject) => subject.id === id));
  return html`${!item.data && html`<${Head} title=${item.problem ? 'Not found' : 'Memory'} />`}<${Loaded} of=${item} rows=${5}>${(data) => html`
    <article class="memory" data-subject data-id=${data.id} data-pinned=${String(isPinned)} data-away=${String(isAway(data))}>
      <${Head} title=${html`<span class="hush">Memory: ${plain((data.text ?? '').slice(0, 60))}</span>`} />
      <p class="meta big"><${Knot} kind=${data.kind} /><span>${plain(data.kind)}</span>${data.layer && html`<span>${plain(data.layer)}</span>`}${data.tier && html`<${Chip} kind="tier-${data.tier}">${word(data.tier)}</${Chip}>`}${status && status !== 'active' && html`<${Chip} kind="off">${word(status)}</${Chip}>`}${isPinned && html`<${Chip} kind="pinned">pinned</${Chip}>`}${data.provenance.created && html`<${Time} at=${data.provenance.created} />`}${(data.tags ?? []).map((tag) => html`<a class="tag" key=${tag} href="/memories?tag=${part(tag)}">#${plain(tag)}</a>`)}</p>
      <div class=${`main-words ${(data.text ?? '').length > 280 ? 'long' : ''}`}><${Words} text=${data.text} first=${4000} /></div>
      <${Actions} item=${data} isPinned=${isPinned} open=${setOpen} />
      ${asked.map((one) => html`<p class="notice" key=${one.id}>A question about it waits: <a href="/review?q=${part(one.id)}">${plain(one.asks)}</a></p>`)}
      <div class="columns">
        <div class="wide">
          <${Section} title=${`Why it is ${word(data.tier ?? status ?? 'here')}`} id="why"><${Loaded} of=${why} rows=${2}>${(data) => html`<${Why} why=${data} />`}</${Loaded}></${Section}>
          ${isFact
            ? html`<${Section} title="Its cord" id="left"><${Loaded} of=${cords} rows=${3}>${(all) => html`<${OneCord} cords=${all} id=${id} />`}</${Loaded}></${Section}>`
            : html`<${Section} title="How much is left" id="left"><${Loaded} of=${curve} rows=${3}>${(data) => html`<${Curve} curve=${data} />`}</${Loaded}></${Section}>`}
          <${Section} title="Similar" id="similar"><${Loaded} of=${similar} rows=${3}>${({ items }) => (items.length ? html`<ul class="rows">${items.slice(0, 6).map((one) => html`<${Row} key=${one.id} item=${one} meta=${html`<span>${plain(one.why?.because)}</span>`} />`)}</ul>` : html`<p class="quiet">Nothing is like it.</p>`)}</${Loaded}></${Section}>
        </div>
        <div><${Section} title="Where it is from" id="origin"><${Origin} item=${data} /></${Section}
        ><${Section} title="History" id="history"><${Loaded} of=${history} rows=${3}>${({ items }) => html`<${History} items=${items.slice().reverse()} />`}</${Loaded}></${Section}></div>
      </div>
      <${Dialogs} kind=${open} item=${data} close=${() => setOpen(null)} /></article>`}</${Loaded}>
  <${Command} words=${['show', id]} />`;
}

export const MemoryView = ({ parts }) => html`<${Memory} key=${parts[0]} id=${parts[0] ?? ''} />`;
