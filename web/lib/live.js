// What others write while one looks: the server tells, or, where it cannot, is asked every few seconds.
import { effect, html, signal, useEffect, useRef, useState } from '../vendor/preact.js';
import { ask, get, lastAnswer, me } from './api.js';

/** Counts up whenever something was changed elsewhere. */
export const pulse = signal(0);

/** Counts up whenever something was changed on this page. */
export const own = signal(0);

const EVERY = 3000;
const seen = new Set();
let newest;
let stream;
let timer;

/** Says that a change came from here, so that it is not taken for somebody else's. */
export function mine(change) {
  if (change) seen.add(change);
  own.value += 1;
}

function heard(change) {
  if (change && seen.has(change)) return;
  pulse.value += 1;
}

async function poll() {
  try {
    const { items } = await ask('GET', '/changes?limit=1');
    const change = items[0]?.id;
    if (newest !== undefined && change !== newest) heard(change);
    newest = change;
  } catch {
    // The page says by itself when nobody answers.
  }
}

function pollOn() {
  clearInterval(timer);
  if (document.hidden) return;
  poll();
  timer = setInterval(poll, EVERY);
}

function listen() {
  stream?.close();
  stream = null;
  clearInterval(timer);
  if (document.hidden || !me.peek()) return;
  let gathering;
  const told = (event) => {
    let change;
    try {
      change = JSON.parse(event.data).id;
    } catch {
      // An event without a payload says that something happened.
    }
    clearTimeout(gathering);
    gathering = setTimeout(() => heard(change), 150);
  };
  stream = new EventSource('/api/v1/events');
  stream.onmessage = told;
  stream.onerror = () => {
    if (stream?.readyState === EventSource.CLOSED) {
      stream = null;
      pollOn();
    }
  };
}

/** Begins to listen; a tab that nobody sees does not. */
export function live() {
  document.addEventListener('visibilitychange', () => {
    listen();
    if (!document.hidden) heard();
  });
  effect(() => {
    if (me.value) listen();
  });
}

/**
 * Asks for a path, and again whenever something changes. What was shown stays until the new answer is there.
 * With `keys`, rows that others added wait until the reader asks for them.
 */
export function useGet(path, { keys } = {}) {
  const [state, setState] = useState({ path, data: path ? lastAnswer(path) : undefined });
  const current = useRef(null);
  const shown = state.path === path ? state : { path, data: path ? lastAnswer(path) : undefined };
  current.current = shown;
  const load = async (isQuiet) => {
    if (!path) return;
    try {
      const data = await get(path);
      if (current.current.path !== path) return;
      const before = current.current.data;
      if (isQuiet && keys && before) {
        const [had, has] = [keys(before), keys(data)];
        const isSame = had.length === has.length && had.every((key, at) => key === has[at]);
        const fresh = has.filter((key) => !had.includes(key)).length;
        setState(isSame ? { path, data } : { path, data: before, waiting: data, fresh });
      } else {
        setState({ path, data });
      }
    } catch (problem) {
      if (current.current.path === path) setState({ path, data: current.current.data, problem });
    }
  };
  useEffect(() => {
    load(false);
  }, [path]);
  useEffect(() => {
    let first = true;
    let here = own.peek();
    return effect(() => {
      const isOwn = own.value !== here;
      here = own.value;
      pulse.value;
      if (first) first = false;
      else load(!isOwn);
    });
  }, [path]);
  return {
    data: shown.data,
    problem: shown.problem,
    fresh: shown.fresh ?? 0,
    isWaiting: shown.waiting !== undefined,
    take: () => setState({ path, data: shown.waiting ?? shown.data }),
    reload: () => load(false),
  };
}

/** A button that brings in what others added meanwhile; its place is kept, so that nothing moves. */
export const Fresh = ({ of, what = 'new' }) => html`<span class="fresh" role="status">${of.isWaiting && html`<button onClick=${of.take}><span class="knot-dot" aria-hidden="true"></span>${of.fresh ? `${of.fresh} ${what}` : 'Changed'}</button>`}</span>`;
