// The page in a real browser: what it shows, what it lets through, and what one can do with the keyboard alone.
// Usage: node run.mjs PROGRAM WORK [--screenshots FOLDER] [--repeat N] [part of a test's name …]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { browse, fail, fromFolder, serve as start } from './browser.mjs';
import { HOSTILE } from './hostile.mjs';
import { small } from './png.mjs';
import { NOW, quipu, tell } from './story.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const args = process.argv.slice(2);
const shotsAt = args.indexOf('--screenshots');
const shots = shotsAt < 0 ? null : args.splice(shotsAt, 2)[1];
const repeatAt = args.indexOf('--repeat');
const times = repeatAt < 0 ? 1 : Number(args.splice(repeatAt, 2)[1]);
const [program, work, ...wanted] = args;

/** A memory of the official MCP server. */
const GRAPH = '{"type":"entity","name":"Nordpay","entityType":"company","observations":["pays out on Wednesdays","writes <img src=x onerror=window.ran=1> in its mails"]}\n{"type":"relation","from":"Nordpay","to":"Vipps","relationType":"settles for"}\n';

/** A busy machine is slow, which is no failure: how fast the page is, is measured by measure.mjs. */
const PATIENCE = 90_000;

/** The views that the tests look at, with an address each. */
const VIEWS = {
  home: '/', search: '/search?q=how+long+is+a+seat+held', 'search-empty': '/search', 'search-nothing': '/search?q=how&kind=document',
  questions: '/review', 'next-review': '/review/next', invariants: '/review/invariants', dream: '/review/dream', drift: '/review/drift',
  timeline: '/timeline', memory: null, fact: '/m/holds-last-fifteen-minutes', missing: '/m/no-such-id', memories: '/memories',
  cords: '/facts', 'cords-by-fading': '/facts?sort=fading&all=yes', 'facts-table': '/facts?as=table', names: '/names', 'names-map': '/names?as=map', name: '/names/maren',
  sessions: '/sessions', session: null, brief: '/brief', health: '/health', import: '/import', settings: '/settings', nowhere: '/review/none',
};

const serve = (folder, state) => start(program, work, folder, state);
const equal = (a, b, what) => { if (a !== b) fail(`${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`); };

/** A page that writes down whatever it should not do. */
async function open(browser, server, { scheme = 'light', width = 1280, height = 860, cookies } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' });
  if (cookies) await context.addCookies(cookies);
  context.setDefaultTimeout(PATIENCE);
  await fromFolder(context, server);
  const page = await context.newPage();
  // With WEB_SLOW=20 the page has a twentieth of the machine: what depends on being quick shows itself.
  if (process.env.WEB_SLOW) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: Number(process.env.WEB_SLOW) });
  const wrong = [];
  await page.clock.setFixedTime(new Date(NOW));
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`)));
  page.on('console', (message) => {
    const { url } = message.location();
    // An address that is not there answers 404, and the browser says so; the page shows it.
    if (message.type() === 'error' && !(/status of 404/.test(message.text()) && /\/api\/v1\/(events|memories\/(no-such-id|%3Cscript%3E))/.test(url))) wrong.push(`console: ${message.text()} ${url}`);
  });
  page.on('pageerror', (error) => wrong.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:')) wrong.push(`request: ${request.url()}`); });
  return { page, context, wrong, check: (what) => wrong.length && fail(`${what}: ${wrong.join('\n  ')}`) };
}

/** Everything of a view has arrived. */
async function settled(page) {
  await page.waitForSelector('main');
  await page.waitForFunction(() => !document.querySelector('.waiting'), null, { timeout: PATIENCE }).catch(() => fail(`${page.url()} waits for ever`));
}

const visit = async (page, server, path) => {
  await page.goto(server.origin + path);
  await settled(page);
};

/** The content of all files but those that only grow: days and events, and what keeps a private folder out of git. */
function tree(folder) {
  const files = {};
  const walk = (at) => {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (['.git', '.quipu'].includes(entry.name) || path === join('memory', 'events') || path === join('memory', 'imports', '.gitignore') || /^memory\/\d{4}-\d\d-\d\d\.(md|jsonl)$/.test(path)) continue;
      if (entry.isDirectory()) walk(path);
      else files[path] = createHash('sha256').update(readFileSync(join(folder, path))).digest('hex');
    }
  };
  walk('.');
  return JSON.stringify(files, Object.keys(files).sort(), 1);
}

const focusOn = (page, selector) => page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector);

const tests = {
  async 'a page of somebody who is not signed in tells nothing'({ browser, server }) {
    const { page, wrong, context } = await open(browser, server);
    await page.goto(`${server.origin}/m/holds-last-fifteen-minutes`);
    await page.waitForSelector('.door');
    equal(/fifteen|Heron/.test(await page.textContent('body')), false, 'a memory is told');
    equal(wrong.filter((one) => !/401/.test(one)).join(), '', 'errors');
    await context.close();
  },

  async 'every view is accessible, calm and asks nobody else'({ browser, server, cookies, views }) {
    const found = [];
    for (const width of [1280, 390]) {
      for (const scheme of ['light', 'dark']) {
        const { page, context, wrong } = await open(browser, server, { scheme, width, height: width === 390 ? 844 : 860, cookies });
        for (const [name, path] of Object.entries(views)) {
          await visit(page, server, path);
          await page.evaluate(axe);
          const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
          for (const one of result.violations) found.push(`${name} ${width} ${scheme}: ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary.split('\n')[1] ?? ''}`).join(' | ')}`);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          if (over > 0) found.push(`${name} ${width}: ${over} px too wide`);
          if (wrong.length) found.push(`${name} ${width} ${scheme}: ${wrong.splice(0).join('; ')}`);
        }
        await context.close();
      }
    }
    if (found.length) fail(found.join('\n  '));
  },

  async 'hostile texts run nothing and look like text'({ browser }) {
    const folder = join(work, 'hostile');
    const state = join(work, 'hostile-state');
    process.env.QUIPU_STATE_DIR = state;
    mkdirSync(folder);
    execFileSync('git', ['init', '-q', folder]);
    quipu(program, folder, NOW, ['init', '--project', 'h<b>h']);
    quipu(program, folder, NOW, ['remember', '--batch', '-'], HOSTILE.map(({ mark, text }) => JSON.stringify({ text, category: 'note', speaker: `<img src=x onerror=window.ran=1>${mark}`, tags: ['<script>'] })).join('\n'));
    for (const { text } of HOSTILE.slice(0, 12)) quipu(program, folder, NOW, ['fact', 'add', '--agree', `fact ${text.replace(/\s+/g, ' ')}`]);
    quipu(program, folder, NOW, ['thread', 'open', 'thread <img src=x onerror=window.ran=1>']);
    const server = await serve(folder, state);
    const { page, context, check } = await open(browser, server);
    try {
      await page.goto(server.page);
      await settled(page);
      const ids = await page.evaluate(async (million) => {
        const send = (text) => fetch('/api/v1/memories', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ text }) });
        await send(million);
        return (await (await fetch('/api/v1/memories?limit=100')).json()).items.map((one) => one.id);
      }, `large <img src=x onerror=window.ran=1> ${'<b>word</b> '.repeat(83_000)}`);
      const isClean = async (what) => {
        equal(await page.evaluate(() => window.ran), undefined, `${what} ran something`);
        const bad = await page.evaluate(() => [...document.querySelectorAll('#app script, #app iframe, #app img, #app style, #app link, #app base, #app form[action], #app [onclick], #app [onerror], #app [onload], #app .words svg, #app .row-link b, #app .line i:not(.quiet)')].map((one) => one.outerHTML.slice(0, 80)));
        equal(bad.join(), '', `${what} has elements of a text`);
        const links = await page.evaluate(() => [...document.querySelectorAll('#app a[href]')].filter((one) => one.origin !== location.origin).map((one) => ({ href: one.href, text: one.textContent })));
        for (const { href, text } of links) if (!/^https?:/.test(href) || !text.includes(new URL(href).host)) fail(`${what}: a link to ${href} says ${text}`);
        check(what);
      };
      for (const path of ['/', '/memories?limit=100', '/timeline', '/facts', '/facts?as=table', '/names', '/brief', '/health', '/settings', '/review', '/search?q=mark', '/search?q=%3Cscript%3Ewindow.ran%3D1%3C%2Fscript%3E', '/names/%3Cimg%20src=x%20onerror=window.ran=1%3E', '/m/%3Cscript%3E', '/timeline?category=%3Cscript%3E']) {
        await visit(page, server, path);
        await isClean(path);
      }
      await visit(page, server, '/timeline');
      const listed = await page.textContent('main');
      for (const { mark } of HOSTILE) if (!listed.includes(mark)) fail(`${mark} is not in the timeline`);
      let seen = 0;
      for (const id of ids) {
        await visit(page, server, `/m/${encodeURIComponent(id)}`);
        await isClean(id);
        const shown = await page.textContent('.main-words').catch(() => '');
        const one = HOSTILE.find(({ mark }) => shown.includes(mark));
        if (!one) continue;
        seen += 1;
        if (/^mark\d+end [<"']/.test(one.text) && !shown.includes(one.text.split('\n')[0].slice(0, 60).replace(/<img.*/, ''))) fail(`${one.text} looks like ${shown}`);
        if (/[\u202e\u200b\u0007\u{e0041}]/u.test(one.text)) equal(/U\+/.test(shown), true, `marks of ${one.mark} can be seen`);
      }
      if (seen < HOSTILE.length) fail(`only ${seen} of ${HOSTILE.length} texts were seen`);
      equal(HOSTILE.length, 40, 'number of texts');
    } finally {
      await context.close();
      server.stop();
      process.env.QUIPU_STATE_DIR = join(work, 'state');
    }
  },

  async 'what another process remembers appears without a reload, and nothing moves'({ browser, server, cookies, folder }) {
    const { page, context, check } = await open(browser, server, { cookies });
    await visit(page, server, '/');
    await page.waitForSelector('.rows .row');
    const places = () => page.evaluate(() => JSON.stringify([...document.querySelectorAll('.row')].map((one) => [one.dataset.id, one.getBoundingClientRect().top])));
    const before = await places();
    quipu(program, folder, NOW, ['remember', 'The gangway of the Hav was painted green']);
    await page.waitForSelector('.fresh button', { timeout: PATIENCE });
    equal(await places(), before, 'what is being read moved');
    equal(await page.textContent('.fresh button'), '1 new', 'the button says');
    await page.keyboard.press('n');
    await page.waitForFunction(() => document.querySelector('.rows .row').textContent.includes('painted green'));
    check('live');
    await context.close();
  },

  async 'what is written before the page hears of changes is not lost'({ browser, server, cookies, folder }) {
    const { page, context, check } = await open(browser, server, { cookies });
    let listen;
    const isHeld = new Promise((done) => page.route(/\/api\/v1\/events/, (route) => { listen = () => route.continue(); done(); }));
    await visit(page, server, '/');
    await page.waitForSelector('.rows .row');
    await isHeld;
    quipu(program, folder, NOW, ['remember', 'The mooring lines of the Hav were replaced']);
    listen();
    await page.waitForSelector('.fresh button', { timeout: PATIENCE });
    await page.keyboard.press('n');
    await page.waitForFunction(() => document.querySelector('.rows .row').textContent.includes('mooring lines'));
    check('before');
    await context.close();
  },

  async 'a question is answered by a key, and undone by another'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/review', ready: '.question', async act(page) {
      const asked = await page.textContent('.question .evidence');
      await page.keyboard.press('r');
      await focusOn(page, '.reason input');
      await page.keyboard.type('Ada knows');
      await page.keyboard.press('Enter');
      await page.keyboard.press('1');
      await says(page, 'Answered');
      await page.waitForFunction((text) => document.querySelector('.question .evidence')?.textContent !== text, asked);
    } });
  },

  async 'a memory is pinned by a key, and unpinned by undo'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/memories?kind=record', ready: '.row', async act(page) {
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await page.keyboard.press('p');
      await says(page, 'Pinned');
      await page.waitForSelector('.row:first-child .chip.pinned');
    } });
  },

  async 'a memory is forgotten by a key, and comes back by undo'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/memories?kind=record', ready: '.row', async act(page) {
      const first = await page.getAttribute('.row', 'data-id');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/m/${first}`);
      await settled(page);
      await page.keyboard.press('x');
      await says(page, 'Forgotten');
      await page.waitForSelector('[data-away=true]');
    } });
  },

  async 'a fact is forgotten by a key, and comes back by undo'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/m/no-accounts', ready: '.acts', async act(page) {
      await page.keyboard.press('x');
      await says(page, 'Forgotten');
      await page.waitForSelector('[data-away=true]');
    } });
  },

  async 'the review is applied by a key, and undone by another'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/review/next', ready: '.steps', async act(page) {
      await page.keyboard.press('a');
      await says(page, 'The review is applied');
    } });
  },

  async 'a thread is closed from home by the keyboard, and opened again by undo'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/', ready: '.thread', async act(page) {
      await page.focus('.thread input');
      await page.keyboard.press('Space');
      await says(page, 'Closed');
    } });
  },

  async 'the palette, the search and the keys are reached from anywhere'({ browser, server, cookies }) {
    const { page, context, check } = await open(browser, server, { cookies });
    await visit(page, server, '/timeline');
    // Nobody waits for a field before typing into it.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to names');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/names');
    await page.keyboard.press('/');
    await page.keyboard.type('refund');
    await page.waitForURL('**/search?q=refund');
    equal(await page.inputValue('#search-field'), 'refund', 'what was typed');
    await page.waitForSelector('.row');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog.help[open]');
    await page.evaluate(axe);
    equal((await page.evaluate(() => window.axe.run(document.querySelector('dialog')))).violations.map((one) => one.id).join(), '', 'axe on the keys');
    // Keys that follow at once are no longer the dialog's.
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.waitForURL('**/facts');
    await page.goBack();
    await page.waitForURL('**/search?q=refund');
    check('keys');
    await context.close();
  },

  async 'a fact that may contradict another one asks before it is written'({ browser, server, cookies, folder }) {
    await undone({ browser, server, cookies, folder, path: '/facts', ready: '.cords', async act(page) {
      await page.click('text=Write a fact');
      await focusOn(page, 'dialog textarea');
      await page.keyboard.type('A seat is held for twenty minutes');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('fieldset.near').catch(async () => fail(`no question, but ${await page.textContent('.toasts')}`));
      await page.click('text=The new one replaces it');
      await says(page, 'Fact written');
    } });
  },

  async 'a file is dropped on the page, looked at, imported and taken back'({ browser, server, cookies, folder }) {
    const file = { name: 'memory.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(GRAPH) };
    await undone({ browser, server, cookies, folder, path: '/import', ready: '.drop', async act(page) {
      await page.setInputFiles('.drop input', file);
      await page.waitForSelector('.plan');
      equal(await page.textContent('.plan-n b'), '3', 'memories in the plan');
      equal(/<img/.test(await page.textContent('.samples')), true, 'hostile words are text');
      await page.evaluate(axe);
      equal((await page.evaluate(() => window.axe.run(document))).violations.map((one) => one.id).join(), '', 'axe on the plan');
      await page.focus('.plan .main');
      await page.keyboard.press('Enter');
      await says(page, 'Imported 3 memories');
      await page.waitForSelector('#runs');
    } });
    // Dropped anywhere, it leads to the plan; what nobody knows is said to be so.
    const { page, context } = await open(browser, server, { cookies });
    await visit(page, server, '/names');
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'notes', { type: 'text/plain' }));
      document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    }, 'one line\nand another\n');
    await page.waitForURL('**/import');
    await page.selectOption('.trouble select', 'list');
    await page.waitForSelector('.plan');
    equal(await page.textContent('.plan-n b'), '2', 'memories of a list');
    await page.click('text=Leave it');
    await page.waitForSelector('.drop');
    await context.close();
  },

  async 'a program gets a token that is shown once, and loses it again'({ browser, server, cookies }) {
    const { page, context, check } = await open(browser, server, { cookies });
    await visit(page, server, '/settings');
    await page.click('text=Make one');
    await focusOn(page, 'dialog input');
    await page.keyboard.type('nightly');
    await page.keyboard.press('Enter');
    const token = (await page.textContent('.notice code')).trim();
    const asked = () => fetch(`${server.origin}/api/v1/status`, { headers: { Authorization: `Bearer ${token}` } }).then((answer) => answer.status);
    equal(await asked(), 200, 'with the token');
    await page.click('[aria-label="Take away the token of nightly"]');
    await page.waitForFunction(() => !document.querySelector('[aria-label="Take away the token of nightly"]'));
    equal(await asked(), 401, 'without it');
    check('tokens');
    await context.close();
  },

  async 'looking changes no file'({ browser, server, cookies, folder, views }) {
    const whole = () => execFileSync('git', ['-C', folder, 'status', '--porcelain', '-uall', '--ignored=matching'], { encoding: 'utf8' }) + tree(folder) + readdirSync(join(folder, 'memory')).filter((one) => /^\d/.test(one)).map((one) => createHash('sha256').update(readFileSync(join(folder, 'memory', one))).digest('hex')).join();
    const before = whole();
    const { page, context } = await open(browser, server, { cookies });
    for (const path of Object.values(views)) await visit(page, server, path);
    await context.close();
    equal(whole(), before, 'files after looking at every view');
  },

  async 'the page needs at most 60 KB, as the server sends it'({ browser, server, cookies }) {
    if (process.env.WEB_FROM) return;
    const { page, context } = await open(browser, server, { cookies });
    const fetched = [];
    page.on('requestfinished', (request) => { if (!request.url().includes('/api/')) fetched.push(request.sizes().then((one) => one.responseBodySize)); });
    await visit(page, server, '/');
    const size = (await Promise.all(fetched)).reduce((a, b) => a + b);
    await context.close();
    console.log(`        ${size} bytes in ${fetched.length} files`);
    if (size > 60 * 1024) fail('that is too much');
  },
};

/** Waits for a message, which screen readers hear too. */
async function says(page, text) {
  await page.waitForFunction((wanted) => document.querySelector('[role=status][aria-live=polite]')?.textContent.includes(wanted), text, { timeout: PATIENCE })
    .catch(async () => fail(`the message is ${await page.textContent('.toasts')}, not ${text}`));
  const bad = await page.$('.toast.bad');
  if (bad) fail(await bad.textContent());
}

/** Does something on a view and takes it back by `z`: all files have the bytes that they had. */
async function undone({ browser, server, cookies, folder, path, ready, act }) {
  const { page, context, check } = await open(browser, server, { cookies });
  await visit(page, server, path);
  await page.waitForSelector(ready);
  const before = tree(folder);
  await act(page);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('z');
  await says(page, 'Undone');
  const after = tree(folder);
  if (after !== before) {
    const [a, b] = [JSON.parse(before), JSON.parse(after)];
    fail(`files differ: ${Object.keys({ ...a, ...b }).filter((name) => a[name] !== b[name]).join(', ')}`);
  }
  check(path);
  await context.close();
}

const SHOTS = [
  ['home', '/', 1280, 'light'], ['cords', '/facts', 1280, 'light'], ['cords-dark', '/facts?sort=fading', 1280, 'dark'], ['review', null, 1280, 'light'],
  ['memory', '/m/holds-last-fifteen-minutes', 1280, 'light'], ['import', '/import', 1280, 'light'], ['timeline', '/timeline', 1280, 'dark'], ['names', '/names?as=map', 1280, 'light'], ['phone', '/facts', 390, 'light'],
];

/** Where the question about the two hours of the update is. */
async function disagreement(page, server) {
  await visit(page, server, '/');
  const { items } = await page.evaluate(async () => (await fetch('/api/v1/questions?limit=200')).json());
  return `/review?q=${items.find((one) => one.subjects.some((each) => each.text.includes('every night at four')))?.id ?? ''}`;
}

async function takeScreenshots({ browser, server, cookies }) {
  mkdirSync(shots, { recursive: true });
  for (const [name, path, width, scheme] of SHOTS) {
    const { page, context } = await open(browser, server, { cookies, scheme, width, height: width === 390 ? 844 : 900 });
    await visit(page, server, path ?? (await disagreement(page, server)));
    if (name === 'import') {
      await page.setInputFiles('.drop input', { name: 'memory.jsonl', mimeType: 'text/plain', buffer: Buffer.from(GRAPH) });
      await page.waitForSelector('.plan');
    }
    await page.waitForTimeout(300);
    writeFileSync(join(shots, `${name}.png`), small(await page.screenshot()));
    await context.close();
  }
}

const folder = join(work, 'heron');
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
process.env.QUIPU_STATE_DIR = join(work, 'state');
console.log('telling the story');
tell(program, folder);
const server = await serve(folder, process.env.QUIPU_STATE_DIR);
const browser = await browse();
let failures = 0;
try {
  const { page, context } = await open(browser, server);
  await page.goto(server.page);
  await settled(page);
  const cookies = await context.cookies(`${server.origin}/api/`);
  const first = await page.evaluate(async () => (await (await fetch('/api/v1/memories?kind=record&limit=2')).json()).items[1].id);
  const log = await page.evaluate(async () => (await (await fetch('/api/v1/sessions?limit=1')).json()).items[0].id);
  await context.close();
  const views = { ...VIEWS, memory: `/m/${first}`, session: `/sessions/${log}` };
  const at = { browser, server, cookies, folder, views };
  if (shots) await takeScreenshots(at);
  for (const [name, test] of Object.entries(tests)) {
    if (wanted.length && !wanted.some((one) => name.includes(one))) continue;
    for (let time = 0; time < times; time += 1) {
      const began = Date.now();
      try {
        await test(at);
        console.log(`  ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
      } catch (problem) {
        failures += 1;
        console.log(`  FAIL  ${name}\n  ${problem.message}`);
      }
    }
  }
} finally {
  await browser.close();
  server.stop();
}
process.exit(failures ? 1 : 0);
