// How fast the page is: its first paint beside that of a bare page in the same run, and how long it takes until what
// another process remembers can be seen. Usage: node measure.mjs PROGRAM WORK
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { browse, serve } from './browser.mjs';
import { NOW, quipu, tell } from './story.mjs';

const [program, work] = process.argv.slice(2);
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

/** Milliseconds from the beginning of a load to the first words. */
async function paint(page, address) {
  await page.goto(address);
  return page.evaluate(() => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().find((one) => one.name === 'first-contentful-paint').startTime)).observe({ type: 'paint', buffered: true });
  }));
}

try {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(server.page);
  await page.waitForSelector('main');
  const [ours, theirs] = [[], []];
  for (let n = 0; n < LOADS; n += 1) {
    theirs.push(await paint(page, `http://127.0.0.1:${bare.address().port}/`));
    ours.push(await paint(page, `${server.origin}/`));
  }
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
  const first = median(ours);
  const plain = median(theirs);
  console.log(JSON.stringify({ first_paint_ms: first, bare_page_ms: plain, ratio: first / plain, limit: 4, delay_ms: median(delays), worst_delay_ms: Math.max(...delays), polling_ms: 500, delay_limit_ms: 1000 }));
} finally {
  await browser.close();
  bare.close();
  server.stop();
}
