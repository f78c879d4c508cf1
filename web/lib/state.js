// What several parts of the page share: a value, and who wants to hear when it changes.
import { useLayoutEffect, useState } from '../vendor/preact.js';

/** A value that can be watched. */
export function state(value) {
  const watchers = new Set();
  return {
    get value() {
      return value;
    },
    set value(next) {
      if (next === value) return;
      value = next;
      for (const watcher of [...watchers]) watcher();
    },
    /** Calls a function after each change, until the function that is returned is called. */
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** Reads a value in a component, which is drawn anew when the value changes. */
export function useValue(of) {
  const [, setTurn] = useState(0);
  const { value } = of;
  useLayoutEffect(() => {
    const again = () => setTurn((turn) => turn + 1);
    if (of.value !== value) again();
    return of.watch(again);
  }, [of]);
  return value;
}
