// The frame around every view: where one can go, and what waits.
import { html, useEffect, useState } from './vendor/preact.js';
import { Toast } from './lib/act.js';
import { ask, me } from './lib/api.js';
import { KEYS, overlay } from './lib/keys.js';
import { useGet } from './lib/live.js';
import { go, place } from './lib/place.js';
import { state, useValue } from './lib/state.js';
import { plain } from './lib/text.js';
import { Dialog } from './lib/ui.js';
import { Palette } from './palette.js';

/**
 * The views that are always in sight, and what waits there.
 * @type {[string, string, ((status: any) => number)?][]}
 */
const VIEWS = [
  ['/', 'Home'],
  ['/search', 'Search'],
  ['/review', 'Review', (status) => status.open_questions + (status.review_due.length ? 1 : 0)],
  ['/timeline', 'Timeline'],
  ['/facts', 'Facts'],
  ['/names', 'Names'],
  ['/sessions', 'Sessions'],
  ['/brief', 'Brief'],
  ['/health', 'Health', (status) => status.lint_errors + status.lint_warnings],
  ['/import', 'Import'],
  ['/settings', 'Settings'],
];

const isHere = (path, href) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`));

const Mark = () => html`<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-linecap="round" stroke-width="2.2"><path d="M3 7c8-3 18-3 26 0" /><path d="M9 6v22M16 5v20M23 6v23" /></g><g fill="currentColor"><circle cx="9" cy="14" r="2.6" /><circle cx="9" cy="21" r="2.6" /><circle cx="16" cy="17" r="2.6" /><circle cx="23" cy="12" r="2.6" /><circle cx="23" cy="23" r="2.6" /></g></svg>`;

const isOpen = state(false);

function Nav({ status }) {
  const { path } = useValue(place);
  return html`<nav class="nav" aria-label="Views"><ul>${VIEWS.map(([href, name, waits]) => {
    const n = status && waits ? waits(status) : 0;
    return html`<li key=${href}><a href=${href} aria-current=${isHere(path, href) ? 'page' : undefined} onClick=${() => (isOpen.value = false)}><span class="nav-knot" aria-hidden="true"></span>${name}${n > 0 && html`<span class="n" title="${n} waiting"><span class="hush">, waiting: </span>${n}</span>`}</a></li>`;
  })}</ul></nav>`;
}

function Help() {
  return html`<${Dialog} title="Keys" class="help" onClose=${() => (overlay.value = null)}>
    <h2>Keys</h2>
    <div class="keys">${KEYS.map(([title, keys]) => html`<section key=${title}><h3>${title}</h3><dl>${keys.map(([key, does]) => html`<div key=${key}><dt>${key.split(' ').map((one) => (/[–]/.test(one) ? ' – ' : html`<kbd>${one}</kbd> `))}</dt><dd>${does}</dd></div>`)}</dl></section>`)}</div>
    <p class="buttons"><button class="main" autofocus onClick=${() => (overlay.value = null)}>Close</button></p>
  </${Dialog}>`;
}

/** The page of somebody who is not signed in. */
export function Door({ problem }) {
  const [token, setToken] = useState('');
  const [wrong, setWrong] = useState(problem && problem.code !== 'token' ? problem : null);
  const enter = async (event) => {
    event.preventDefault();
    try {
      await ask('POST', '/sign-in', { token: token.trim() });
      me.value = await ask('GET', '/me');
    } catch (failed) {
      setWrong(failed);
    }
  };
  useEffect(() => {
    document.title = 'Sign in · Quipu';
  }, []);
  return html`<main class="door"><${Mark} /><h1>This memory is closed</h1>
    <p>Open it from a terminal on the machine where it is. The address that this prints signs you in, once and within a minute:</p>
    <p class="command"><code>quipu serve --open</code></p>
    <form onSubmit=${enter}><label>Or sign in with a token
      <input type="password" autocomplete="off" value=${token} onInput=${(event) => setToken(event.target.value)} /></label>
      <button class="main" disabled=${!token.trim()}>Sign in</button></form>
    ${wrong && html`<p class="wrong" role="alert">${plain(wrong.message)}. ${plain(wrong.hint)}</p>`}</main>`;
}

/** The frame. */
export function Shell({ children }) {
  const status = useGet('/status');
  const { path } = useValue(place);
  const [isNavOpen, shown, who] = [useValue(isOpen), useValue(overlay), useValue(me)];
  const isSearch = isHere(path, '/search');
  return html`<a class="skip" href="#view" onClick=${(event) => { event.preventDefault(); document.getElementById('view').focus(); }}>Skip to the content</a>
  <div class="frame ${isNavOpen ? 'nav-open' : ''}">
    <header class="bar">
      <a class="brand" href="/"><${Mark} /><b>${plain(status.data?.project ?? 'Quipu')}</b><span class="hush">, home</span></a>
      ${!isSearch && html`<button class="find" onClick=${() => go('/search')}><span>Search</span><kbd>/</kbd></button>`}
      <button class="menu" aria-expanded=${String(isNavOpen)} onClick=${() => (isOpen.value = !isNavOpen)}>Menu</button>
      <${Nav} status=${status.data} />
      <p class="who quiet">${who?.name && html`<span>${plain(who.name)}</span>`}<button class="plain" onClick=${() => (overlay.value = 'help')}>Keys <kbd>?</kbd></button></p>
    </header>
    <main id="view" class="view" tabindex="-1">
      ${status.problem?.code === 'away' && html`<p class="away" role="alert">Quipu does not answer. Start it again with <code>quipu serve --open</code>.</p>`}
      ${children}</main>
  </div>
  <${Toast} />
  ${shown === 'help' && html`<${Help} />`}
  ${shown === 'palette' && html`<${Palette} views=${VIEWS} />`}`;
}
