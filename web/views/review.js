// Review: what needs judgement, and what the next review and the next dream would do.
import { html, useRef, useState } from '../vendor/preact.js';
import { act } from '../lib/act.js';
import { part, query } from '../lib/api.js';
import { useKeys } from '../lib/keys.js';
import { useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { Line, Time, Words, count, plain, ticks } from '../lib/text.js';
import { Chip, Command, Diff, Empty, Head, Loaded, Section, Tabs, word } from '../lib/ui.js';

const KINDS = { contradiction: 'Contradiction', duplicate: 'Duplicate', belief: 'Old belief', bridge: 'Bridge', reference: 'Reference', invariant: 'Invariant', core: 'Core' };

const split = (text) => String(text ?? '').slice(0, 4000).split(/(\s+)/);

/** Which words one text has and the other has not: the longest common run of words is left plain. */
function differing(a, b) {
  const [x, y] = [split(a), split(b)];
  if (x.length * y.length > 250_000) return null;
  const table = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i -= 1) for (let j = y.length - 1; j >= 0; j -= 1) table[i][j] = x[i] === y[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const marks = new Set();
  let [i, j] = [0, 0];
  while (i < x.length) {
    if (j < y.length && x[i] === y[j]) [i, j] = [i + 1, j + 1];
    else if (j < y.length && table[i][j + 1] > table[i + 1][j]) j += 1;
    else marks.add(i++);
  }
  return { words: x, marks, same: 1 - marks.size / x.length };
}

/** The words of a memory, those that the other one lacks marked. */
function Evidence({ subject, other, label }) {
  const diff = other ? differing(subject.text, other.text) : null;
  return html`<div class="evidence"><p class="meta">${label && html`<b>${label}</b>`}<${Time} at=${/T00:00:00Z$/.test(subject.time ?? '') ? subject.time.slice(0, 10) : subject.time} />${subject.status !== 'active' && html`<${Chip} kind="off">${word(subject.status)}</${Chip}>`}</p>
    ${diff && diff.same > 0.35 && diff.words.length < 400
      ? html`<p class="words" dir="auto">${diff.words.map((one, n) => (diff.marks.has(n) && one.trim() ? html`<mark key=${n}>${plain(one)}</mark>` : plain(one)))}</p>`
      : html`<${Words} text=${subject.text || ''} first=${320} />`}
    <p class="meta"><a href="/m/${part(subject.id)}">${plain(subject.id)}</a>${subject.path && html`<code>${plain(subject.path)}</code>`}</p></div>`;
}

/** What an answer does, with ids that one can read. */
function does(text, subjects) {
  let said = text;
  subjects.forEach((subject, n) => {
    said = said.replaceAll(subject.id, subjects.length > 1 ? (n === 0 ? 'the left one' : n === 1 ? 'the right one' : subject.id) : 'it');
  });
  return plain(said.replace(/^./, (one) => one.toUpperCase()));
}

function Question({ question, place, total, skip }) {
  const [reason, setReason] = useState('');
  const field = useRef(null);
  const title = useRef(null);
  const [isBusy, setBusy] = useState(false);
  const answer = async (n) => {
    const choice = question.choices[n];
    if (!choice || isBusy) return;
    setBusy(true);
    await act(`Answered “${choice.name}”`, 'POST', `/questions/${part(question.id)}/answer`, { choice: choice.name, ...(reason.trim() ? { reason: reason.trim() } : {}) });
    setBusy(false);
  };
  useKeys({ 1: () => answer(0), 2: () => answer(1), 3: () => answer(2), 4: () => answer(3), s: skip, r: () => field.current.focus() });
  const { subjects } = question;
  return html`<article class="question" aria-labelledby="question-title">
    <p class="meta"><${Chip}>${KINDS[question.kind] ?? question.kind}</${Chip}><span>${place + 1} of ${total}</span><span>asked <${Time} at=${question.at} /></span></p>
    <h2 id="question-title" ref=${title}>${plain(question.asks)}</h2>
    ${question.reason && html`<p class="because">${ticks(question.reason.replace(/^./, (one) => one.toUpperCase()))}.</p>`}
    <div class="side-by-side ${subjects.length > 1 ? 'two' : ''}">${subjects.map((one, n) => html`<${Evidence} key=${one.id} subject=${one} other=${subjects.length === 2 ? subjects[1 - n] : null} label=${subjects.length === 2 ? (n === 0 ? 'Left' : 'Right') : ''} />`)}</div>
    <div class="answers" role="group" aria-label="Answers">${question.choices.map((one, n) => html`<button key=${one.name} disabled=${isBusy} onClick=${() => answer(n)}><kbd>${n + 1}</kbd><b>${plain(one.name)}</b><span>${does(one.does, subjects)}</span></button>`)}</div>
    <div class="reason"><label>Reason <span class="quiet">(optional, kept with the answer)</span><input ref=${field} value=${reason} autocomplete="off" onInput=${(event) => setReason(event.target.value)} onKeyDown=${(event) => event.key === 'Enter' && event.target.blur()} /></label>
      <button class="plain" onClick=${skip}>Skip <kbd>s</kbd></button></div>
  </article>`;
}

/** What disagrees comes first, what has only grown old last. */
const ORDER = ['contradiction', 'duplicate', 'core', 'invariant', 'reference', 'bridge', 'belief'];
const weight = (question) => ORDER.indexOf(question.kind);

/** Invariants have a part of their own. */
const waiting = (all, wanted) => all.filter((one) => one.kind !== 'invariant' || one.id === wanted);

function Questions({ of, wanted }) {
  const [skipped, setSkipped] = useState([]);
  return html`<${Loaded} of=${of} rows=${5}>${(data) => {
    const items = waiting(data.items, wanted).sort((a, b) => weight(a) - weight(b));
    const order = [...items.filter((one) => !skipped.includes(one.id)), ...skipped.map((id) => items.find((one) => one.id === id)).filter(Boolean)];
    const now = items.find((one) => one.id === wanted && !skipped.includes(one.id)) ?? order[0];
    if (!now) return html`<${Empty} title="No question waits.">Dreams ask when two memories disagree, say the same, or have grown old. <a href="/review/next">Preview the next review</a></${Empty}>`;
    const skip = () => {
      refine({ q: '' });
      setSkipped([...skipped.filter((id) => id !== now.id), now.id]);
    };
    return html`<${Question} key=${now.id} question=${now} place=${items.indexOf(now)} total=${items.length} skip=${skip} />
      <details class="all-questions"><summary>All ${count(items.length, 'question')}</summary><ul class="rows">${items.map((one) => html`<li class="row plain-row" data-row key=${one.id}><div class="row-words"><a class="row-link" data-open href="/review${query({ q: one.id })}" onClick=${() => setSkipped(skipped.filter((id) => id !== one.id))}><${Line} text=${one.subjects.map((each) => each.text).join(' / ') || one.asks} most=${150} /></a><p class="meta"><span>${KINDS[one.kind] ?? one.kind}</span><span>${plain(one.asks)}</span></p></div></li>`)}</ul></details>
      <${Command} words=${['answer', now.id, now.choices[0]?.name ?? '']} />`;
  }}</${Loaded}>`;
}

const STEPS = { refresh: 'Count uses anew', origin: 'Note where facts are from', reactivate: 'Bring back what was used again', file: 'File what was replaced', archive: 'Put away what faded', sweep: 'Put away closed threads', verify: 'Ask a person to confirm the invariants', stamp: 'Note that a review took place' };

function Next({ of }) {
  const [off, setOff] = useState([]);
  const apply = async (data) => {
    const groups = [...new Set(data.items.map((one) => one.action))];
    const except = off.filter((one) => one.startsWith('id:')).map((one) => one.slice(3)).concat(off.filter((one) => groups.includes(one)));
    await act('The review is applied', 'POST', '/review', except.length ? { except } : {});
    setOff([]);
  };
  const latest = useRef(null);
  useKeys({ a: () => latest.current?.() });
  return html`<${Loaded} of=${of} rows=${6}>${(data) => {
    const groups = [...new Set(data.items.map((one) => one.action))];
    const isNothing = data.items.every((one) => one.action === 'stamp') && !data.triggers.length;
    const toggle = (key) => setOff(off.includes(key) ? off.filter((one) => one !== key) : [...off, key]);
    latest.current = isNothing ? null : () => apply(data);
    if (isNothing) return html`<${Empty} title="The next review has nothing to do.">It comes every few sessions, and brings tiers up to date with the session logs.</${Empty}>`;
    return html`<p class="lead">${data.triggers.length ? html`Due: ${plain(data.triggers.join('; ').replaceAll('session(s)', 'sessions'))}.` : 'Not due yet; it may be applied all the same.'} ${count(data.window.sessions, 'session')} since the last one, in which ${count(data.window.used.length, 'fact')} were used and ${data.window.created.length} written.</p>
      <div class="steps">${groups.map((name) => { const all = data.items.filter((one) => one.action === name); return html`<fieldset key=${name}><legend><label class="check"><input type="checkbox" checked=${!off.includes(name)} onChange=${() => toggle(name)} /> ${STEPS[name] ?? name} <span class="quiet">${all.length}</span></label></legend>
        <ul>${all.map((one) => html`<li key=${one.id ?? name}>${name === 'archive' || name === 'reactivate' || name === 'file' || name === 'sweep'
          ? html`<label class="check"><input type="checkbox" data-row disabled=${off.includes(name)} checked=${!off.includes(name) && !off.includes(`id:${one.id}`)} onChange=${() => toggle(`id:${one.id}`)} /> <span><${Named} id=${one.id} /><span class="quiet small">${plain(one.why)}</span></span></label>`
          : html`<span class="quiet">${plain((one.why || one.id).replaceAll('session(s)', 'sessions'))}</span>`}</li>`)}</ul></fieldset>`; })}</div>
      <p class="buttons start"><button class="main" onClick=${() => apply(data)}>Apply ${off.length > 0 && 'what is ticked'} <kbd>a</kbd></button></p>
      <${Section} title="As a diff" id="diff">${data.changes.map((one) => html`<details key=${one.path} open=${data.changes.length < 2}><summary><code>${plain(one.path)}</code></summary><${Diff} text=${one.diff} /></details>`)}</${Section}>
      <${Command} words=${['review', '--dry-run']} />`;
  }}</${Loaded}>`;
}

function Named({ id }) {
  const of = useGet(id ? `/memories/${part(id)}` : null);
  return html`<a href="/m/${part(id)}">${of.data?.text ? html`<${Line} text=${of.data.text} most=${110} />` : plain(id)}</a>`;
}

const DREAM = { fade: 'Fade', merge: 'Merge what repeats', cards: 'Write cards of names', bridges: 'Find bridges', beliefs: 'Ask about old beliefs', drift: 'Find drift', prune: 'Prune' };

function Dream({ plan, dreams }) {
  const [off, setOff] = useState([]);
  const run = async (data) => {
    await act('The dream is done', 'POST', '/dreams', off.length ? { skip: data.actions.filter((one) => off.includes(one.id)).map((one) => one.id) } : {});
    setOff([]);
  };
  const latest = useRef(null);
  useKeys({ a: () => latest.current?.() });
  const takeBack = (id) => act('The dream is taken back', 'DELETE', `/dreams/${part(id)}`);
  return html`<${Section} title="The next dream" id="next-dream"><${Loaded} of=${plan} rows=${4}>${(data) => {
    const steps = [...new Set(data.actions.map((one) => one.step))];
    latest.current = data.actions.length ? () => run(data) : null;
    if (!data.actions.length) return html`<p>It would change nothing: ${count(data.looked_at, 'memory', 'memories')} were looked at, and each one is where it belongs.</p>`;
    return html`<p class="lead">${count(data.looked_at, 'memory', 'memories')} were looked at. It would do ${count(data.actions.length, 'thing')}; untick what it should leave.</p>
      <div class="steps">${steps.map((step) => html`<fieldset key=${step}><legend>${DREAM[step] ?? step}</legend><ul>${data.actions.filter((one) => one.step === step).slice(0, 200).map((one) => html`<li key=${one.id}><label class="check"><input type="checkbox" data-row checked=${!off.includes(one.id)} onChange=${() => setOff(off.includes(one.id) ? off.filter((id) => id !== one.id) : [...off, one.id])} /><span>${plain(one.does)} <span class="quiet">${plain(one.why)}</span></span></label>${one.about.length > 0 && html`<details class="about"><summary>${count(one.about.length, 'memory', 'memories')}</summary><ul>${one.about.slice(0, 12).map((id) => html`<li key=${id}><${Named} id=${id} /></li>`)}</ul></details>`}</li>`)}</ul></fieldset>`)}</div>
      <p class="buttons start"><button class="main" onClick=${() => run(data)}>Dream now <kbd>a</kbd></button></p>`;
  }}</${Loaded}></${Section}>
  <${Section} title="Past dreams" id="past"><${Loaded} of=${dreams} rows=${2}>${({ items }) => (items.length ? html`<ul class="plain-list">${items.slice().reverse().map((one) => html`<li key=${one.run} data-row class=${one.taken_back ? 'undone' : ''}><span><${Time} at=${one.at} /> <span class="quiet">${plain(one.did)}</span></span>${one.taken_back ? html`<${Chip} kind="off">taken back</${Chip}>` : html`<button data-open onClick=${() => takeBack(one.run)}>Take back</button>`}</li>`)}</ul>` : html`<p class="quiet">There was none yet. A dream goes through everything that is remembered: it puts away what faded, merges what repeats, and asks about the rest.</p>`)}</${Loaded}></${Section}>
  <${Command} words=${['dream', '--dry-run']} />`;
}

function Invariants({ of }) {
  const confirm = (ids) => act(ids ? 'Confirmed' : 'All confirmed', 'POST', '/invariants/confirm', ids ? { ids } : { all: true });
  return html`<${Loaded} of=${of} rows=${4}>${(data) => (data.items.length
    ? html`<p class="lead">${data.due ? 'They want confirming' : 'They are confirmed'}: ${data.sessions_since === null ? 'no person has said so yet' : `${count(data.sessions_since, 'session')} since a person last said so`}. Read each one. Is it still so?</p>
      <ul class="plain-list">${data.items.map((one) => html`<li key=${one.id} data-row data-id=${one.id}><a data-open href="/m/${part(one.id)}"><${Line} text=${one.title} /></a><button onClick=${() => confirm([one.id])}>It holds</button></li>`)}</ul>
      <p class="buttons start"><button class="main" onClick=${() => confirm()}>All of them hold</button></p>`
    : html`<${Empty} title="There are no invariants.">A fact under “Architectural Invariants” never fades; a person confirms it now and then.</${Empty}>`)}</${Loaded}><${Command} words=${['verify']} />`;
}

function Drift({ of }) {
  return html`<${Loaded} of=${of} rows=${3}>${(data) => (data.items.length
    ? html`<p class="lead">${count(data.items.length, 'claim')} held once and ${data.items.length === 1 ? 'holds' : 'hold'} no more, by git’s history.</p><ul class="plain-list">${data.items.map((one, n) => html`<li key=${n} data-row><span>${plain(one.claim ?? one.text ?? one.message ?? JSON.stringify(one))} ${one.id && html`<a data-open href="/m/${part(one.id)}">${plain(one.id)}</a>`}</span></li>`)}</ul>
      <p class="buttons start"><button class="main" onClick=${() => act('Drift is dealt with', 'POST', '/drift/fix')}>Mark them as in doubt</button></p>`
    : html`<${Empty} title="Nothing has drifted.">${count(data.claims ?? 0, 'claim')} about the code, in ${count(data.checked ?? 0, 'memory', 'memories')}, were compared with git’s history.</${Empty}>`)}</${Loaded}><${Command} words=${['drift']} />`;
}

export function Review({ parts, query: said }) {
  const tab = parts[0] ?? '';
  const status = useGet('/status');
  const questions = useGet('/questions?limit=200');
  const next = useGet(tab === 'next' ? '/review' : null);
  const plan = useGet(tab === 'dream' ? '/dreams/plan' : null);
  const dreams = useGet(tab === 'dream' ? '/dreams' : null);
  const invariants = useGet(tab === 'invariants' ? '/invariants' : null);
  const drift = useGet(tab === 'drift' ? '/drift' : null);
  const items = [['/review', 'Questions', !tab, questions.data && waiting(questions.data.items).length], ['/review/next', 'Next review', tab === 'next', status.data?.review_due.length ? 'due' : null], ['/review/invariants', 'Invariants', tab === 'invariants', status.data?.invariants_due ? 'due' : null], ['/review/dream', 'Dream', tab === 'dream'], ['/review/drift', 'Drift', tab === 'drift']];
  return html`<${Head} title="Review" /><${Tabs} label="Parts of the review" items=${items} />
    ${tab === '' && html`<${Questions} of=${questions} wanted=${said.get('q')} />`}
    ${tab === 'next' && html`<${Next} of=${next} />`}
    ${tab === 'invariants' && html`<${Invariants} of=${invariants} />`}
    ${tab === 'dream' && html`<${Dream} plan=${plan} dreams=${dreams} />`}
    ${tab === 'drift' && html`<${Drift} of=${drift} />`}
    ${items.every(([href]) => href !== `/review${tab && `/${tab}`}`) && html`<${Empty} title="There is no such part of the review."><a href="/review">To the questions</a></${Empty}>`}`;
}
