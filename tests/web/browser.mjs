// A server as a person starts it, and a browser to look at it with.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { NOW } from './story.mjs';

const { chromium } = await import('playwright-core');

export const fail = (text) => { throw new Error(text); };

/** Starts Debian's browser, or another one that is there. */
export function browse() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({ executablePath, timeout: 180_000, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--disable-lcd-text'] });
}

/** Starts the server as a person would, in a terminal, and returns where it is. */
export async function serve(program, work, folder, state) {
  const env = { ...process.env, QUIPU_STATE_DIR: state, QUIPU_USER: 'Ada', QUIPU_NOW: NOW, BROWSER: 'true', TERM: 'dumb' };
  for (const name of ['CLAUDECODE', 'CI']) delete env[name];
  const said = join(work, 'said');
  writeFileSync(said, '');
  const child = spawn('script', ['-qfec', `"${program}" --json serve --open --no-schedule --listen 127.0.0.1:0`, said], { cwd: folder, env, stdio: 'ignore', detached: true });
  const page = await until('the server begins', () => /"page":"([^"]+)"/.exec(readFileSync(said, 'utf8'))?.[1]);
  return { page, origin: new URL(page).origin, stop: () => { try { process.kill(-child.pid); } catch { /* It has ended. */ } } };
}

const FORMS = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** With WEB_FROM the page comes from that folder instead of the program: a change can be tried without a build. */
export async function fromFolder(context, server) {
  const folder = process.env.WEB_FROM;
  if (!folder) return;
  await context.route(`${server.origin}/assets/**`, (route) => {
    const path = new URL(route.request().url()).pathname.replace('/assets/', '');
    return route.fulfill({ path: join(folder, path), contentType: FORMS[extname(path)] });
  });
}

/** Waits until something is so. */
export async function until(what, test, most = 180_000) {
  const end = Date.now() + most;
  for (;;) {
    const found = await test();
    if (found) return found;
    if (Date.now() > end) fail(`waited in vain until ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
