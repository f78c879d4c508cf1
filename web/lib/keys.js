// Keys: one listener, and for each key the newest view that wants it.
import { useLayoutEffect, useRef } from '../vendor/preact.js';
import { undoLast } from './act.js';
import { go } from './place.js';
import { state } from './state.js';

const maps = [];

/** The dialog that is open: `help`, `palette` or none. */
export const overlay = state(null);

/** Gives keys a meaning for as long as a view is there: from the moment at which it can be seen. */
export function useKeys(map) {
  const latest = useRef(map);
  latest.current = map;
  useLayoutEffect(() => {
    const entry = latest;
    maps.push(entry);
    return () => maps.splice(maps.indexOf(entry), 1);
  }, []);
}

const isTyping = (target) => target instanceof HTMLElement && (target.matches('input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select') || target.isContentEditable);

/** Moves among the rows of the page. */
function step(by) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-row]')]);
  const seen = rows.filter((row) => row.offsetParent !== null);
  if (!seen.length) return;
  const now = seen.findIndex((row) => row.contains(document.activeElement));
  const next = now < 0 ? (by > 0 ? 0 : seen.length - 1) : Math.max(0, Math.min(seen.length - 1, now + by));
  const row = seen[next];
  /** @type {HTMLElement} */
  const open = row.querySelector('[data-open]') ?? row.querySelector('a, button, input') ?? row;
  open.focus();
  row.scrollIntoView({ block: 'nearest' });
}

/** Returns the memory that an action is about: the row that has the focus, or the page's. */
export function subject() {
  /** @type {HTMLElement} */
  const found = document.activeElement?.closest('[data-id]') ?? document.querySelector('[data-subject]');
  return found ? { id: found.dataset.id, isPinned: found.dataset.pinned === 'true', isAway: found.dataset.away === 'true' } : null;
}

const GO = { h: '/', s: '/search', r: '/review', t: '/timeline', f: '/facts', n: '/names', l: '/sessions', b: '/brief', c: '/health', i: '/import', ',': '/settings' };
let isGoing = 0;

/**
 * Every key, for the list of `?`.
 * @type {[string, string[][]][]}
 */
export const KEYS = [
  ['Everywhere', [['/', 'Search'], ['Ctrl K', 'Go anywhere, do anything'], ['?', 'This list'], ['z', 'Undo what was done last'], ['Esc', 'Close, or leave a field']]],
  ['Lists', [['j k', 'Next row, previous row'], ['Enter', 'Open'], ['p', 'Pin or unpin'], ['x', 'Forget, or bring back'], ['n', 'Show what is new']]],
  ['Review', [['1 – 4', 'Answer the question'], ['r', 'Write a reason first'], ['s', 'Skip the question'], ['a', 'Apply the review or the dream']]],
  ['Go to', [['g h', 'Home'], ['g s', 'Search'], ['g r', 'Review'], ['g t', 'Timeline'], ['g f', 'Facts'], ['g n', 'Names'], ['g l', 'Sessions'], ['g b', 'Brief'], ['g c', 'Health'], ['g i', 'Import'], ['g ,', 'Settings']]],
];

/** Listens to the keyboard. `memory` pins and forgets. */
export function listenToKeys(memory) {
  addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      overlay.value = overlay.value === 'palette' ? null : 'palette';
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const use = (action) => {
      event.preventDefault();
      action();
    };
    if (isTyping(event.target)) {
      // Left alone, a browser also empties the field.
      if (event.key === 'Escape') use(() => /** @type {HTMLElement} */ (event.target).blur());
      return;
    }
    if (Date.now() - isGoing < 1500 && GO[event.key]) {
      isGoing = 0;
      use(() => go(GO[event.key]));
      return;
    }
    for (const map of [...maps].reverse()) {
      const action = map.current[event.key];
      if (action) return void use(action);
    }
    const about = subject();
    if (event.key === 'g') isGoing = Date.now();
    else if (event.key === '/') use(() => focusSearch());
    else if (event.key === '?') use(() => (overlay.value = 'help'));
    else if (event.key === 'z') use(undoLast);
    else if (event.key === 'j' || event.key === 'k') use(() => step(event.key === 'j' ? 1 : -1));
    else if (event.key === 'n') /** @type {HTMLElement} */ (document.querySelector('.fresh button'))?.click();
    else if (event.key === 'p' && about) use(() => memory.pin(about));
    else if (event.key === 'x' && about) use(() => memory.forget(about));
  });
}

/** Puts the cursor into the search field. */
export function focusSearch() {
  /** @type {HTMLInputElement} */
  const field = document.querySelector('#search-field');
  if (field) {
    field.focus();
    field.select();
  } else go('/search');
}
