// Where one is: the address says everything that is shown.
import { state } from './state.js';

const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** The address. */
export const place = state(read());

/** Whether the last step was back or forward: the browser then knows where one was. */
export const steps = { isBack: false };

/** Goes to an address of the page. */
export function go(href, { replace = false } = {}) {
  if (href === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  const before = place.value.path;
  steps.isBack = false;
  place.value = read();
  if (place.value.path !== before) scrollTo(0, 0);
}

/** Changes values of the query and leaves the others as they are. */
export function refine(values, { replace = true } = {}) {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === '' || value === false) next.delete(name);
    else next.set(name, value === true ? 'yes' : value);
  }
  const text = next.toString();
  go(location.pathname + (text ? `?${text}` : ''), { replace });
}

/** Follows links of the page without loading it anew. */
export function followLinks() {
  addEventListener('popstate', () => {
    steps.isBack = true;
    place.value = read();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target) return;
    const to = new URL(link.href);
    if (to.origin !== location.origin || to.pathname.startsWith('/api/') || to.pathname.startsWith('/assets/')) return;
    if (to.hash && to.pathname === location.pathname) return;
    event.preventDefault();
    go(to.pathname + to.search);
  });
}
