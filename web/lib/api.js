// Asking the API, and remembering its answers for as long as the page is open.
import { state } from './state.js';

/** Who is signed in: undefined while nobody knows, null when nobody is. */
export const me = state(undefined);

/** A problem report of the API, or of the way there. */
export class Problem extends Error {
  constructor(report) {
    super(report.detail ?? report.title ?? 'something went wrong');
    Object.assign(this, { code: '', hint: '', status: 0 }, report);
  }
}

/** Asks the API. Returns the answer, or throws a `Problem`. */
export async function ask(method, path, body) {
  const asked = { method, headers: { Accept: 'application/json' } };
  if (body instanceof Blob) {
    asked.headers['Content-Type'] = 'application/octet-stream';
    asked.body = body;
  } else if (method !== 'GET' && method !== 'DELETE') {
    asked.headers['Content-Type'] = 'application/json';
    asked.body = JSON.stringify(body ?? {});
  } else if (body) {
    asked.headers['Content-Type'] = 'application/json';
    asked.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path.startsWith('/api/') ? path : `/api/v1${path}`, asked);
  } catch {
    throw new Problem({ code: 'away', detail: 'Quipu does not answer', hint: 'Start it again: quipu serve --open' });
  }
  if (answer.status === 204) return null;
  const job = answer.status === 202 ? answer.headers.get('Location') : null;
  const text = await answer.text();
  let read;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Problem({ status: answer.status, detail: `an answer that is not JSON (${answer.status})` });
  }
  if (!answer.ok) {
    if (answer.status === 401) me.value = null;
    throw new Problem(read);
  }
  return job ? { ...read, job } : read;
}

const known = new Map();

/** The last answer to a path, if it was asked before: shown until the new one is there. */
export const lastAnswer = (path) => known.get(path);

/** Asks for a path, and keeps the answer. */
export async function get(path) {
  const answer = await ask('GET', path);
  known.delete(path);
  known.set(path, answer);
  if (known.size > 60) known.delete(known.keys().next().value);
  return answer;
}

/** Writes a query, leaving out what has no value. */
export function query(values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

/** Writes a value as a part of a path. */
export const part = (text) => encodeURIComponent(text);
