// What others write while one looks: the server tells, or, where it cannot, is asked every few seconds.
import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { ask, get, lastAnswer, me, query } from './api.js';
import { state } from './state.js';

/** Counts up whenever something was changed elsewhere. */
export const pulse = state(0);

/** Counts up whenever something was changed on this page. */
export const own = state(0);

const EVERY = 3000;
const seen = new Set();
let newest;
let position;
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
  if (document.hidden || !me.value) return;
  let gathering;
  let isForeign = false;
  const told = (event) => {
    position = event.lastEventId || position;
    let change;
    try {
      change = JSON.parse(event.data).change;
    } catch {
      // An event without a payload says that something happened.
    }
    isForeign ||= !(change && seen.has(change));
    clearTimeout(gathering);
    gathering = setTimeout(() => {
      if (isForeign) pulse.value += 1;
      isForeign = false;
    }, 150);
  };
  // What was written since the page asked who is there, or since it was hidden, is told first.
  stream = new EventSource(`/api/v1/events${query({ after: position ?? me.value.position })}`);
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
  document.addEventListener('visibilitychange', listen);
  me.watch(listen);
}

/**
 * Asks for a path, and again whenever something changes. What was shown stays until the new answer is there.
 * With `keys`, rows that others added wait until the reader asks for them.
 * @template {string} P
 * @param {P} path
 * @param {{ keys?: (data: any) => string[] }} [more]
 * @returns {{ data: QuipuAnswer<P>, problem: any, fresh: number, isWaiting: boolean, take: () => void, reload: () => void }}
 */
export function useGet(path, { keys } = {}) {
  /** @type {{ path: string, data?: any, problem?: any, waiting?: any, fresh?: number }} */
  const initial = { path, data: path ? lastAnswer(path) : undefined };
  const [known, setKnown] = useState(initial);
  const current = useRef(null);
  // Answers may come in another order than the questions, and an old one must not replace a newer one.
  const order = useRef({ asked: 0, answered: 0, isLoud: false });
  const shown = known.path === path ? known : initial;
  current.current = shown;
  const load = async (isQuiet) => {
    if (!path) return;
    const turn = order.current;
    const number = (turn.asked += 1);
    turn.isLoud ||= !isQuiet;
    const isLate = () => current.current.path !== path || number < turn.answered;
    try {
      const data = await get(path);
      if (isLate()) return;
      turn.answered = number;
      const before = current.current.data;
      const isOwn = turn.isLoud;
      turn.isLoud = false;
      if (!isOwn && keys && before) {
        const [had, has] = [keys(before), keys(data)];
        const isSame = had.length === has.length && had.every((key, at) => key === has[at]);
        const fresh = has.filter((key) => !had.includes(key)).length;
        setKnown(isSame ? { path, data } : { path, data: before, waiting: data, fresh });
      } else {
        setKnown({ path, data });
      }
    } catch (problem) {
      if (!isLate()) setKnown({ path, data: current.current.data, problem });
    }
  };
  useEffect(() => {
    load(false);
  }, [path]);
  useEffect(() => {
    const ends = [own.watch(() => load(false)), pulse.watch(() => load(true))];
    return () => ends.forEach((end) => end());
  }, [path]);
  return {
    data: shown.data,
    problem: shown.problem,
    fresh: shown.fresh ?? 0,
    isWaiting: shown.waiting !== undefined,
    take: () => setKnown({ path, data: shown.waiting ?? shown.data }),
    reload: () => load(false),
  };
}

/** A button that brings in what others added meanwhile; its place is kept, so that nothing moves. */
export const Fresh = ({ of, what = 'new' }) => html`<span class="fresh" role="status">${of.isWaiting && html`<button onClick=${of.take}><span class="knot-dot" aria-hidden="true"></span>${of.fresh ? `${of.fresh} ${what}` : 'Changed'}</button>`}</span>`;
