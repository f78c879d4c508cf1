// Doing something, and taking it back: every action answers with the link that reverts it.
import { html, useEffect } from '../vendor/preact.js';
import { Problem, ask } from './api.js';
import { mine } from './live.js';
import { state, useValue } from './state.js';
import { plain } from './text.js';

/** What was done, newest last: `{ says, undo }`. */
const done = [];

/** The message that is shown now. */
export const toast = state(null);

let shown = 0;

/**
 * Shows a message, and tells it to screen readers.
 * @param {string} says
 * @param {{ undo?: object, stop?: () => void, isBad?: boolean, hint?: string }} [more]
 */
export function say(says, more = {}) {
  shown += 1;
  toast.value = { says, ...more, at: shown };
}

/** Says what went wrong. */
export const complain = (problem) => say(problem.message ?? String(problem), { isBad: true, hint: problem.hint });

/** Waits for work that takes long, and says how far it has come: in a message, or to who asks. */
export async function finished(answer, said) {
  if (!answer?.job) return answer;
  for (;;) {
    const job = await ask('GET', answer.job);
    if (job.answer) return job.answer;
    if (job.problem) throw new Problem(job.problem);
    const words = `Working${job.step ? `: ${job.step}` : ''}${job.total ? `, ${job.done} of ${job.total}` : ''} …`;
    if (said) said(words);
    else say(words, { stop: () => ask('DELETE', answer.job).catch(complain) });
    await new Promise((done) => setTimeout(done, 700));
  }
}

/** Does something; says so, with a way back. Returns the answer, or null where it failed. */
export async function act(says, method, path, body) {
  try {
    const answer = await finished(await ask(method, path, body));
    mine(answer?.change);
    const undo = answer?.undo;
    if (undo) done.push({ says, undo });
    say(says, { undo });
    return answer ?? {};
  } catch (problem) {
    complain(problem);
    return null;
  }
}

/** Takes the last action back. */
export async function undoLast() {
  const last = done.pop();
  if (!last) {
    say('There is nothing to undo on this page');
    return;
  }
  try {
    const answer = await ask(last.undo.method, last.undo.href);
    mine(answer?.change);
    say(`Undone: ${last.says}`);
  } catch (problem) {
    complain(problem);
  }
}

/** The place where messages appear. */
export function Toast() {
  const now = useValue(toast);
  useEffect(() => {
    if (!now) return undefined;
    let timer;
    const begin = () => {
      timer = setTimeout(() => {
        const box = document.querySelector('.toast');
        if (box?.matches(':hover') || box?.contains(document.activeElement)) begin();
        else toast.value = null;
      }, now.isBad ? 15_000 : 9000);
    };
    begin();
    return () => clearTimeout(timer);
  }, [now]);
  return html`<div class="toasts" role="status" aria-live="polite" aria-atomic="true">
    ${now && html`<div class="toast ${now.isBad ? 'bad' : ''}" key=${now.at}>
      <p>${now.isBad && html`<strong>That did not work. </strong>`}${plain(now.says)}${now.hint && html`<span class="hint">${plain(now.hint)}</span>`}</p>
      ${now.stop && html`<button onClick=${now.stop}>Stop</button>`}
      ${now.undo && html`<button onClick=${undoLast}>Undo <kbd>z</kbd></button>`}
      <button class="plain" aria-label="Close this message" onClick=${() => (toast.value = null)}>×</button>
    </div>`}
  </div>`;
}
