// The page begins here: signing in, then the view that the address names.
import { html, render } from './vendor/preact.js';
import { ask, me } from './lib/api.js';
import { listenToDrops } from './lib/drop.js';
import { listenToKeys } from './lib/keys.js';
import { live } from './lib/live.js';
import * as memory from './lib/memory.js';
import { followLinks, place } from './lib/place.js';
import { useValue } from './lib/state.js';
import { Empty, Head, Trouble } from './lib/ui.js';
import { Door, Shell } from './shell.js';
import { Brief } from './views/brief.js';
import { Facts } from './views/facts.js';
import { Health } from './views/health.js';
import { Home } from './views/home.js';
import { Import } from './views/import.js';
import { Memories } from './views/memories.js';
import { MemoryView } from './views/memory.js';
import { Names } from './views/names.js';
import { Review } from './views/review.js';
import { Search } from './views/search.js';
import { Sessions } from './views/sessions.js';
import { Settings } from './views/settings.js';
import { Timeline } from './views/timeline.js';

/** The views, by the first part of their addresses. */
const VIEWS = {
  '': Home,
  search: Search,
  review: Review,
  timeline: Timeline,
  m: MemoryView,
  memories: Memories,
  facts: Facts,
  names: Names,
  sessions: Sessions,
  brief: Brief,
  import: Import,
  health: Health,
  settings: Settings,
};

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const Nowhere = () => html`<${Head} title="Nothing here" /><${Empty} title="There is no such view."><a href="/">Go home</a></${Empty}>`;

function View() {
  const { path, query } = useValue(place);
  const [first, ...rest] = path.split('/').slice(1);
  if (!Object.hasOwn(VIEWS, first)) return html`<${Nowhere} />`;
  return html`<${VIEWS[first]} key=${first} parts=${rest.filter(Boolean).map(decoded)} query=${query} />`;
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
  const who = useValue(me);
  if (who) return html`<${Shell}><${View} /></${Shell}>`;
  if (who === undefined && !problem) return null;
  if (problem?.code === 'away') return html`<main class="door"><h1>Quipu is not there</h1><${Trouble} problem=${problem} retry=${() => location.reload()} /></main>`;
  return html`<${Door} problem=${problem} />`;
}

async function begin() {
  const root = document.getElementById('app');
  followLinks();
  listenToKeys(memory);
  listenToDrops();
  live();
  let problem;
  try {
    await signIn();
  } catch (failed) {
    problem = failed;
  }
  // What was there until now is the frame of index.html.
  root.replaceChildren();
  render(html`<${App} problem=${problem} />`, root);
}

begin();
