// A file that is dropped anywhere on the page is one to import.
import { useEffect } from '../vendor/preact.js';
import { go } from './place.js';
import { state, useValue } from './state.js';

/** The file that was dropped last, until a view takes it. */
export const dropped = state(null);

/** Whether a file is held over the page. */
const isOver = state(false);

const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');

/** Takes files that are dropped. */
export function listenToDrops() {
  addEventListener('dragover', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    isOver.value = true;
  });
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) isOver.value = false;
  });
  addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    isOver.value = false;
    const file = event.dataTransfer.files[0];
    if (!file) return;
    dropped.value = file;
    go('/import');
  });
}

/** Says whether a file is held over the page; leaving the view ends it. */
export function useDrop() {
  const is = useValue(isOver);
  useEffect(() => () => {
    isOver.value = false;
  }, []);
  return is;
}
