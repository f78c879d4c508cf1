// Home: what is due, what is new, what is open, and a year of work.
import { html, useState } from '../vendor/preact.js';
import { part } from '../lib/api.js';
import { Fresh, useGet } from '../lib/live.js';
import { closeThread, remember, reopenThread } from '../lib/memory.js';
import { Line, Time, count, plain, when } from '../lib/text.js';
import { Command, Empty, Head, Loaded, Row, Section } from '../lib/ui.js';

/** What waits for a person, the most urgent first. */
function dues(status) {
  const due = [];
  if (status.lint_errors) due.push({ n: status.lint_errors, title: `${status.lint_errors === 1 ? 'Error' : 'Errors'} in the memory folder`, says: 'Each one says how to clear it.', href: '/health', does: 'Look' });
  if (status.open_questions) due.push({ n: status.open_questions, title: `${status.open_questions === 1 ? 'Question needs' : 'Questions need'} your judgement`, says: 'Which of two memories holds? Does something old still hold?', href: '/review', does: 'Answer the next one', isMain: true });
  if (status.review_due.length) due.push({ n: '↻', title: 'A review is due', says: sentence(status.review_due[0]), href: '/review/next', does: 'Preview it' });
  if (status.invariants_due) due.push({ n: '✓', title: 'Invariants want confirming', says: 'A person says now and then that what must never change still holds.', href: '/review/invariants', does: 'Confirm' });
  if (status.lint_warnings) due.push({ n: status.lint_warnings, title: status.lint_warnings === 1 ? 'Warning' : 'Warnings', says: 'Small things in the memory folder; each says how to clear it.', href: '/health', does: 'Look', isSmall: true });
  return due;
}

const sentence = (text) => plain(text.replace('session(s)', 'sessions').replace(/ \(review_every (\d+)\)/, '; it comes every $1') + '.');

function Due({ status }) {
  const all = dues(status);
  if (!all.length) return html`<div class="calm"><p>Nothing is due. Everything that is remembered is in order.</p></div>`;
  return html`<ul class="due">${all.map((one) => html`<li key=${one.href + one.title} data-row class=${one.isSmall ? 'small' : ''}>
    <span class="due-n">${one.n}</span>
    <div><p class="due-title">${one.title}</p><p class="quiet">${one.says}</p></div>
    <a class="button ${one.isMain ? 'main' : ''}" data-open href=${one.href}>${one.does}</a></li>`)}</ul>`;
}

function Remember() {
  const [text, setText] = useState('');
  const submit = async (event) => {
    event.preventDefault();
    if (text.trim() && (await remember(text.trim()))) setText('');
  };
  return html`<form class="remember" onSubmit=${submit}><label class="hush" for="remember-field">Remember something</label>
    <input id="remember-field" placeholder="Remember something …" autocomplete="off" value=${text} onInput=${(event) => setText(event.target.value)} />
    <button disabled=${!text.trim()}>Remember</button></form>`;
}

const DAY = 86_400_000;

/** A year as a quipu: a cord for each week, a knot for each day with a session, larger where there were more. */
function Year({ sessions }) {
  const days = new Map(Object.entries(sessions));
  const now = new Date();
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY;
  const weeks = Array.from({ length: 53 }, (_, n) => monday - (52 - n) * 7 * DAY);
  const key = (time) => new Date(time).toISOString().slice(0, 10);
  const total = weeks.reduce((sum, week) => sum + Array.from({ length: 7 }, (_, n) => days.get(key(week + n * DAY)) ?? 0).reduce((a, b) => a + b), 0);
  const x = (n) => 10 + n * 13.4;
  const hang = (n) => 15 + 3.2 * Math.sin(n / 52 * Math.PI) * 2.4;
  const months = weeks.map((week, n) => ({ n, name: new Date(week).toLocaleDateString('en', { month: 'short', timeZone: 'UTC' }), is: new Date(week).getUTCDate() <= 7 })).filter((one) => one.is);
  return html`<figure class="year"><div class="year-scroll" tabindex="0" role="region" aria-label="A year of sessions"><svg viewBox="0 0 722 142" role="img" aria-label=${`${count(total, 'session')} in the past year, a knot for each day with one`}>
    ${months.map(({ n, name }) => html`<text key=${n} x=${x(n) - 4} y="139" class="year-month">${name}</text>`)}
    ${weeks.map((week, n) => {
      const top = hang(n);
      const knots = Array.from({ length: 7 }, (_, d) => days.get(key(week + d * DAY)) ?? 0);
      const last = knots.findLastIndex((one) => one > 0);
      return html`<g key=${n}><line x1=${x(n)} x2=${x(n)} y1=${top} y2=${top + (last < 0 ? 14 : 20 + last * 13)} class=${last < 0 ? 'year-thread' : 'year-cord'} />
        ${knots.map((size, d) => size > 0 && html`<circle key=${d} cx=${x(n)} cy=${top + 13 + d * 13} r=${Math.min(5.5, 2.9 + size * 0.9)} class="year-knot"><title>${key(week + d * DAY)}: ${count(size, 'session')}</title></circle>`)}</g>`;
    })}
    <path d=${`M2 13 ${weeks.map((_, n) => `L${x(n)} ${hang(n) - 1}`).join(' ')} L720 13`} class="year-main" /><path d=${`M2 13 ${weeks.map((_, n) => `L${x(n)} ${hang(n) - 1}`).join(' ')} L720 13`} class="year-ply" />
  </svg></div><figcaption class="quiet">${count(total, 'session')} in the past year. Each cord is a week, from Monday down; each knot a day with a session.</figcaption></figure>`;
}

function Thread({ item }) {
  const [isDone, setDone] = useState(item.state === 'done');
  const toggle = async () => {
    setDone(!isDone);
    if (!(await (isDone ? reopenThread : closeThread)(item.id))) setDone(isDone);
  };
  return html`<li class="thread" data-row data-id=${item.id}>
    <input type="checkbox" id=${`t-${item.id}`} checked=${isDone} onChange=${toggle} aria-label=${`Close: ${item.title}`} />
    <a data-open href="/m/${part(item.id)}"><${Line} text=${item.title} /></a>
    <span class="meta"><${Time} at=${item.created} /></span></li>`;
}

export function Home() {
  const status = useGet('/status');
  const newest = useGet('/memories?limit=8', { keys: (data) => data.items.map((one) => one.id) });
  const threads = useGet('/threads?limit=50');
  const sessions = useGet('/sessions?limit=1');
  return html`<${Head} title=${status.data?.project ?? 'Home'}>${status.data ? html`${count(status.data.facts, 'fact')}, ${count(status.data.journal?.window.records ?? 0, 'record')} and ${count(status.data.sessions, 'session')} are remembered.${status.data.last_dream && html` The last dream was ${when(status.data.last_dream)}.`}` : ' '}</${Head}>
  <${Loaded} of=${status} rows=${3}>${(data) => html`<${Section} title="Due" id="due"><${Due} status=${data} /></${Section}>`}</${Loaded}>
  <div class="columns">
    <${Section} title="Newest" id="newest" class="wide" aside=${html`<${Fresh} of=${newest} /><a href="/memories">All memories</a>`}>
      <${Remember} />
      <${Loaded} of=${newest} rows=${6}>${({ items }) => (items.length
        ? html`<ul class="rows">${items.map((item) => html`<${Row} key=${item.id} item=${item} />`)}</ul>`
        : html`<${Empty} title="Nothing is remembered yet.">Write a first sentence above, let an agent (<code>quipu install</code> connects it), or <a href="/import">bring along what another program remembers</a>.</${Empty}>`)}</${Loaded}>
    </${Section}>
    <${Section} title="Open threads" id="threads" aside=${html`<a href="/memories?kind=thread">All</a>`}>
      <${Loaded} of=${threads} rows=${3}>${({ items }) => (items.length
        ? html`<ul class="threads">${items.map((item) => html`<${Thread} key=${item.id} item=${item} />`)}</ul>`
        : html`<p class="quiet">No thread is open. One holds work or a question until it is done: <code>quipu thread open "…"</code></p>`)}</${Loaded}>
    </${Section}>
  </div>
  <${Section} title="A year" id="year"><${Loaded} of=${sessions} rows=${2}>${({ days }) => html`<${Year} sessions=${days} />`}</${Loaded}></${Section}>
  <${Command} words=${['status']} />`;
}
