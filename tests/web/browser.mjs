// A server as a person starts it, and a browser to look at it with.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOW } from './story.mjs';

const { chromium } = await import('playwright-core');

export const fail = (text) => { throw new Error(text); };

/** Starts Debian's browser, or another one that is there. */
export function browse() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--disable-lcd-text'] });
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

/** Waits until something is so. */
export async function until(what, test, most = 60_000) {
  const end = Date.now() + most;
  for (;;) {
    const found = await test();
    if (found) return found;
    if (Date.now() > end) fail(`waited in vain until ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
