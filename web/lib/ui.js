// The parts that views are made of.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';
import { say } from './act.js';
import { part } from './api.js';
import { steps } from './place.js';
import { Line, Time, plain } from './text.js';

const SHAPES = {
  fact: html`<path d="M8 3.2c3 0 3.6 4.8 0 4.8s-3 4.8 0 4.8 3.6-4.8 0-4.8-3-4.8 0-4.800Z" fill="none" stroke-width="1.7" />`,
  thread: html`<circle cx="8" cy="8" r="4.2" fill="none" stroke-width="1.7" />`,
  record: html`<circle cx="8" cy="8" r="3.6" stroke="none" />`,
  session: html`<path d="M8 2v3m0 6v3" fill="none" stroke-width="1.7" /><circle cx="8" cy="8" r="3" fill="none" stroke-width="1.7" />`,
  decided: html`<path d="m8 3.6 4.4 4.400L8 12.4 3.6 8Z" fill="none" stroke-width="1.7" />`,
  dreamed: html`<path d="M10.5 3.400a5 5 0 1 0 2.3 6.6 4.2 4.2 0 0 1-2.3-6.600Z" stroke="none" />`,
  asked: html`<path d="M5.6 6.200a2.4 2.4 0 1 1 3.4 2.200c-.7.3-1 .7-1 1.500m0 2.300v.1" fill="none" stroke-width="1.7" />`,
  away: html`<circle cx="8" cy="8" r="3.8" fill="none" stroke-width="1.5" stroke-dasharray="1.8 1.8" />`,
};
const SHAPE_OF = { 'archived-fact': 'away', document: 'session', code: 'record', remembered: 'record' };

/** A small knot whose shape says what kind of thing it is. The words beside it say so too. */
export const Knot = ({ kind }) => html`<svg class="knot knot-${kind}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${SHAPES[SHAPE_OF[kind] ?? kind] ?? SHAPES.record}</svg>`;

/** The heading of a view; it gets the focus when one arrives. */
export function Head({ title, children, aside }) {
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${typeof title === 'string' ? title : 'Memory'} · Quipu`;
    if (!steps.isBack && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return html`<header class="head">
    <div class="head-words"><h1 tabindex="-1" ref=${heading}>${title}</h1>${children && html`<p class="lead">${children}</p>`}</div>
    ${aside && html`<div class="head-aside">${aside}</div>`}
  </header>`;
}

/** Why nothing is here, and what next. */
export const Empty = ({ title, children }) => html`<div class="empty">
  <svg viewBox="0 0 120 60" width="120" height="60" aria-hidden="true"><path d="M4 10c30-9 82-9 112 0" class="empty-main" /><path d="M24 6v34M44 4v44M64 3.500v28M84 4.500v40M102 7v30" class="empty-cords" /></svg>
  <p class="empty-title">${title}</p><div class="quiet">${children}</div></div>`;

/** What went wrong, in the place of what would be there. */
export const Trouble = ({ problem, retry }) => html`<div class="trouble" role="alert"><p><strong>${plain(problem.message)}</strong></p>
  ${problem.hint && html`<p>${plain(problem.hint)}</p>`}${retry && html`<button onClick=${retry}>Try again</button>`}</div>`;

/** Rows that are still on their way: calm lines, no spinner. */
export const Waiting = ({ rows = 4 }) => html`<div class="waiting" role="status" aria-label="Loading">${Array.from({ length: rows }, (_, n) => html`<span key=${n}></span>`)}</div>`;

/** Shows a question's answer: the trouble, the waiting, or what `children` makes of it. */
export function Loaded({ of, rows, children }) {
  if (of.data !== undefined) return children(of.data);
  if (of.problem) return html`<${Trouble} problem=${of.problem} retry=${of.reload} />`;
  return html`<${Waiting} rows=${rows} />`;
}

/** A part of a view with a heading. */
export const Section = ({ title, aside, id, children, class: name = '' }) => html`<section class="section ${name}" aria-labelledby=${id}>
  <div class="section-head"><h2 id=${id}>${title}</h2>${aside && html`<div class="section-aside">${aside}</div>`}</div>${children}</section>`;

const STATUS = { challenged: 'in doubt', invalidated: 'wrong', merged: 'merged', superseded: 'replaced', archived: 'put away' };
const TIERS = { 'archive-candidate': 'fading' };

/** The word for a status or a tier. */
export const word = (text) => STATUS[text] ?? TIERS[text] ?? text;

/** A short label. */
export const Chip = ({ children, kind = '', title }) => html`<span class="chip ${kind}" title=${title}>${children}</span>`;

const AWAY = ['archived', 'invalidated', 'merged', 'superseded'];

/** Whether something was put away. */
export const isAway = (item) => item.kind === 'archived-fact' || AWAY.includes(item.status) || AWAY.includes(item.tier);

/** The words of a memory in a list; a dream's card of a name is long, and says only whose it is. */
const titleOf = (item) => (item.category === 'peer-card' ? (item.text ?? '').replace(/^\[Peer card\] (.)([^,\n]*)[^]*/, (_, first, rest) => `What is known about ${first.toUpperCase()}${rest.replace(/ \d+ memories$/, '')}`) : (item.text ?? item.title));

/** A memory on two lines. */
export function Row({ item, why, children, meta }) {
  const kind = item.kind === 'record' && isAway(item) ? 'away' : item.kind;
  const label = item.category && item.kind !== 'fact' ? item.category : item.kind;
  return html`<li class="row" data-row data-id=${item.id} data-pinned=${String(!!item.pinned)} data-away=${String(isAway(item))}>
    <${Knot} kind=${kind} />
    <div class="row-words">
      <a class="row-link" data-open href="/m/${part(item.id)}"><${Line} text=${titleOf(item)} /></a>
      ${why && html`<p class="row-why">${why}</p>`}
      <p class="meta">
        <span>${plain(label)}</span>
        ${item.tier && html`<${Chip} kind="tier-${item.tier}">${word(item.tier)}</${Chip}>`}
        ${item.status && item.status !== 'active' && html`<${Chip} kind="off">${word(item.status)}</${Chip}>`}
        ${item.pinned && html`<${Chip} kind="pinned">pinned</${Chip}>`}
        ${item.speaker && html`<span>${plain(item.speaker)}</span>`}
        ${item.time && html`<${Time} at=${/T00:00:00Z$/.test(item.time) ? item.time.slice(0, 10) : item.time} />`}
        ${meta}
        ${(item.tags ?? []).slice(0, 4).map((tag) => html`<span class="tag">#${plain(tag)}</span>`)}
      </p>
    </div>
    ${children && html`<div class="row-acts">${children}</div>`}
  </li>`;
}

/** Copies a text; where the browser does not let it, selects it. */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied');
  } catch {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    say('Selected: copy it with Ctrl C');
  }
}

const quoted = (text) => (/^[\w./:@=+-]+$/.test(text) ? text : `'${String(text).replace(/'/g, `'\\''`)}'`);

/** Writes a command, with quotes where a shell wants them. */
export const command = (...words) => ['quipu', ...words.filter((one) => one !== undefined && one !== null && one !== '').map((one) => quoted(String(one)))].join(' ');

/** The same as a command for a terminal. */
export function Command({ words }) {
  const code = useRef(null);
  const text = command(...words);
  return html`<p class="command"><span class="quiet">In a terminal</span> <code ref=${code}>${plain(text)}</code>
    <button class="plain" onClick=${() => copy(text, code.current)} aria-label="Copy as command">Copy</button></p>`;
}

/** Links that choose what a view shows. */
export const Tabs = ({ label, items }) => html`<nav class="tabs" aria-label=${label}>${items.map(([href, name, isOn, n]) => html`<a key=${href} href=${href} aria-current=${isOn ? 'page' : undefined}>${name}${n !== undefined && n !== null && html` <span class="n">${n}</span>`}</a>`)}</nav>`;

/**
 * A dialog; Escape closes it. It opens and closes within the event that asks for it, because the next key may already
 * wait: `close()` gives the focus back at once, while the browser's events `cancel` and `close` come later or not at all.
 */
export function Dialog({ title, onClose, children, class: name = '' }) {
  const box = useRef(null);
  const isOver = useRef(false);
  useLayoutEffect(() => {
    const element = box.current;
    element.showModal();
    return () => {
      isOver.current = true;
      element.close();
    };
  }, []);
  const close = () => {
    if (isOver.current) return;
    isOver.current = true;
    box.current.close();
    onClose();
  };
  const key = (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return html`<dialog ref=${box} class=${name} aria-label=${title} onKeyDown=${key} onClose=${close} onClick=${(event) => event.target === box.current && close()}>
    <div class="dialog-box">${children}</div></dialog>`;
}

/** Asks for words, such as a reason. */
export function Ask({ title, label, hint, value = '', action, isLong, mustBe, isBad, onDone, onClose }) {
  const [text, setText] = useState(value);
  const isReady = mustBe ? text === mustBe : text.trim() !== '';
  const submit = (event) => {
    event.preventDefault();
    if (isReady) onDone(text.trim());
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${submit}>
      <h2>${title}</h2>${hint && html`<p class="quiet">${hint}</p>`}
      <label>${label}
        ${isLong
          ? html`<textarea rows="5" value=${text} autofocus onInput=${(event) => setText(event.target.value)}
              onKeyDown=${(event) => (event.ctrlKey || event.metaKey) && event.key === 'Enter' && submit(event)}></textarea>`
          : html`<input value=${text} autofocus autocomplete="off" onInput=${(event) => setText(event.target.value)} />`}</label>
      <p class="buttons"><button type="button" class="plain" onClick=${onClose}>Cancel</button><button class=${isBad ? 'danger' : 'main'} disabled=${!isReady}>${action}</button></p>
    </form></${Dialog}>`;
}

/** Loads more of a list when asked. */
export const More = ({ next, load, isBusy }) => next && html`<p class="more"><button onClick=${load} disabled=${isBusy}>${isBusy ? 'Loading …' : 'Show more'}</button></p>`;

/** The lines of a diff, marked by sign and shade. */
export function Diff({ text }) {
  const lines = String(text).split('\n').filter((one, at) => !(at < 2 && /^(---|\+\+\+)/.test(one)));
  return html`<pre class="diff" tabindex="0">${lines.map((one, at) => html`<span key=${at} class=${one[0] === '+' ? 'plus' : one[0] === '-' ? 'minus' : one.startsWith('@@') ? 'at' : ''}>${plain(one) || ' '}${'\n'}</span>`)}</pre>`;
}
