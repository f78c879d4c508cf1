// The page begins here: signing in, then the view that the address names.
import { html, render, signal, useEffect } from './vendor/preact.js';
import { ask, me } from './lib/api.js';
import { listenToDrops } from './lib/drop.js';
import { listenToKeys } from './lib/keys.js';
import { live } from './lib/live.js';
import * as memory from './lib/memory.js';
import { followLinks, place } from './lib/place.js';
import { Empty, Head, Trouble, Waiting } from './lib/ui.js';
import { Door, Shell } from './shell.js';

/** Where each view is; one is fetched when it is first looked at. */
const VIEWS = {
  '': () => import('./views/home.js'),
  search: () => import('./views/search.js'),
  review: () => import('./views/review.js'),
  timeline: () => import('./views/timeline.js'),
  m: () => import('./views/memory.js'),
  memories: () => import('./views/memories.js'),
  facts: () => import('./views/facts.js'),
  names: () => import('./views/names.js'),
  sessions: () => import('./views/sessions.js'),
  brief: () => import('./views/brief.js'),
  import: () => import('./views/import.js'),
  health: () => import('./views/health.js'),
  settings: () => import('./views/settings.js'),
};

const loaded = signal({});

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const Nowhere = () => html`<${Head} title="Nothing here" /><${Empty} title="There is no such view."><a href="/">Go home</a></${Empty}>`;

function View() {
  const { path, query } = place.value;
  const [first, ...rest] = path.split('/').slice(1);
  const isKnown = Object.hasOwn(VIEWS, first);
  useEffect(() => {
    if (!isKnown || loaded.value[first]) return;
    VIEWS[first]().then(
      (module) => (loaded.value = { ...loaded.value, [first]: module.default }),
      (problem) => (loaded.value = { ...loaded.value, [first]: () => html`<${Trouble} problem=${problem} retry=${() => location.reload()} />` }),
    );
  }, [first]);
  if (!isKnown) return html`<${Nowhere} />`;
  const Shown = loaded.value[first];
  return Shown ? html`<${Shown} key=${first} parts=${rest.filter(Boolean).map(decoded)} query=${query} />` : html`<${Waiting} />`;
}

/** Exchanges the code in the fragment for a cookie; the code leaves the address at once. */
async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) {
    history.replaceState(null, '', location.pathname + location.search);
    await ask('POST', '/sign-in', { code });
  }
  me.value = await ask('GET', '/me');
}

function App({ problem }) {
  if (me.value) return html`<${Shell}><${View} /></${Shell}>`;
  if (me.value === undefined && !problem) return null;
  if (problem?.code === 'away') return html`<main class="door"><h1>Quipu is not there</h1><${Trouble} problem=${problem} retry=${() => location.reload()} /></main>`;
  return html`<${Door} problem=${problem} />`;
}

const root = document.getElementById('app');
followLinks();
listenToKeys(memory);
listenToDrops();
live();
VIEWS[location.pathname.split('/')[1]]?.();
try {
  await signIn();
  render(html`<${App} />`, root);
} catch (problem) {
  render(html`<${App} problem=${problem} />`, root);
}
