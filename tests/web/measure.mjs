// How fast the page is: its first paint beside that of a bare page in the same run, and how long it takes until what
// another process remembers can be seen; and the same beside a large memory, with the size of every list.
// Usage: node measure.mjs PROGRAM WORK [MEMORIES]
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { browse, serve } from './browser.mjs';
import { NOW, quipu, tell } from './story.mjs';

const [program, work, many = '0'] = process.argv.slice(2);
const LOADS = 15;
const WRITES = 9;
const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
process.env.QUIPU_STATE_DIR = join(work, 'state');
const folder = join(work, 'heron');
tell(program, folder);
const server = await serve(program, work, folder, process.env.QUIPU_STATE_DIR);
const bare = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<!doctype html><title>bare</title><h1>Bare</h1><p>Words.</p>'));
await new Promise((done) => bare.listen(0, '127.0.0.1', done));
const browser = await browse();

/** Every list of the API, with as much as it gives; ID is a memory. */
const LISTS = [
  '/memories?limit=200', '/memories?limit=200&sort=important', '/memories?limit=200&entity=maren', '/timeline?limit=200', '/journal?limit=200', '/entities?limit=200', '/entities/maren?limit=200', '/entities/maren/timeline?limit=200',
  '/entities/maren/graph', '/graph?limit=500', '/facts?limit=200', '/cords?sessions=200', '/threads?limit=200', '/sessions?limit=200', '/questions?limit=200', '/changes?limit=200', '/lint?limit=200', '/drift?limit=200', '/dreams?limit=200',
  '/experiences?limit=200', '/imports?limit=200', '/invariants?limit=200', '/recall?q=how+many+cars+did+the+Sula+load&limit=200', '/memories/ID/similar?limit=200', '/memories/ID/history?limit=200', '/status', '/stats', '/brief',
];

const WORDS = 'ferry quay ticket refund captain booking delay storm scanner timetable webhook payment seat bicycle desk crossing standby certificate queue index hold worker sailing harbour passenger price season crew tide'.split(' ');

/** Fills a folder with so many memories of two years, a thousand at a time. */
function fill(folder, count) {
  mkdirSync(folder, { recursive: true });
  execFileSync('git', ['init', '-q', folder]);
  quipu(program, folder, NOW, ['init', '--project', 'Large']);
  for (let n = 0; n < 400; n += 1) if (n % 20 === 0) quipu(program, folder, NOW, ['fact', 'add', `Rule ${n}: the ${WORDS[n % 29]} of the ${WORDS[(n * 7) % 29]} is checked on day ${n}`, '--agree']);
  const first = Date.parse('2024-11-20T08:00:00Z');
  for (let begun = 0; begun < count; begun += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, count - begun) }, (_, at) => {
      const n = begun + at;
      const word = (k) => WORDS[(n * k + (n >> 5)) % WORDS.length];
      return JSON.stringify({ text: `Crossing ${n}: Maren saw ${n % 97} ${word(3)}s at the ${word(5)}, and the ${word(11)} of the ${['Sula', 'Lunde', 'Hav', 'Frøya'][n % 4]} took ${(n * 13) % 59} minutes longer than the ${word(17)} said`, category: ['note', 'learned', 'decision'][n % 3], tags: [word(7)], time: new Date(first + Math.floor((n / count) * 7.2e5) * 86_400).toISOString() });
    });
    quipu(program, folder, NOW, ['remember', '--batch', '-'], lines.join('\n'));
  }
}

/** Milliseconds from the beginning of a load to the first words. */
async function paint(page, address) {
  await page.goto(address);
  return page.evaluate(() => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().find((one) => one.name === 'first-contentful-paint').startTime)).observe({ type: 'paint', buffered: true });
  }));
}

/** The median first paint of Home, beside that of the bare page. */
async function paints(page, origin) {
  const [ours, theirs] = [[], []];
  for (let n = 0; n < LOADS; n += 1) {
    theirs.push(await paint(page, `http://127.0.0.1:${bare.address().port}/`));
    ours.push(await paint(page, `${origin}/`));
  }
  const [first, plain] = [median(ours), median(theirs)];
  return { first_paint_ms: first, bare_page_ms: plain, ratio: first / plain, limit: 4 };
}

async function signedIn(server) {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(server.page);
  await page.waitForSelector('main');
  return page;
}

/** The page beside a memory that holds a lot. */
async function large(count) {
  const folder = join(work, 'large');
  process.env.QUIPU_STATE_DIR = join(work, 'large-state');
  fill(folder, count);
  const server = await serve(program, work, folder, process.env.QUIPU_STATE_DIR);
  try {
    const page = await signedIn(server);
    const sizes = await page.evaluate(async (lists) => {
      const asked = async (path) => (await fetch(`/api/v1${path}`)).text();
      const { id } = JSON.parse(await asked('/memories?limit=1')).items[0];
      const found = {};
      for (const path of lists) found[path] = new Blob([await asked(path.replace('ID', id))]).size;
      return found;
    }, LISTS);
    const [largest, bytes] = Object.entries(sizes).sort((a, b) => b[1] - a[1])[0];
    return { memories: count, ...(await paints(page, server.origin)), largest_list: largest, largest_list_bytes: bytes, list_limit_bytes: 200_000 };
  } finally {
    server.stop();
  }
}

try {
  const page = await signedIn(server);
  const painted = await paints(page, server.origin);
  const delays = [];
  for (let n = 0; n < WRITES; n += 1) {
    await page.goto(`${server.origin}/`);
    await page.waitForSelector('.rows .row');
    await page.waitForTimeout(1200);
    const shown = page.evaluate(() => new Promise((done) => {
      const look = () => (document.querySelector('.fresh button') ? done(Date.now()) : setTimeout(look, 5));
      look();
    }));
    quipu(program, folder, NOW, ['remember', `The gangway of the Hav was painted for the ${n + 1}. time, ${'abcdefghi'[n]}`]);
    const written = Date.now();
    delays.push(Math.max(0, (await shown) - written));
  }
  const figures = { ...painted, delay_ms: median(delays), worst_delay_ms: Math.max(...delays), polling_ms: 500, delay_limit_ms: 1000 };
  if (Number(many)) figures.large = await large(Number(many));
  console.log(JSON.stringify(figures));
} finally {
  await browser.close();
  bare.close();
  server.stop();
}
