#!/usr/bin/env node
// Starts the program of the package for this platform.
'use strict';
const { spawnSync } = require('node:child_process');

const name = `quipu-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/quipu`);
} catch {
  console.error(`quipu: there is no package for ${process.platform} on ${process.arch} (${name} is not installed)`);
  console.error('Build it from source instead: cargo install --path crates/quipu-cli');
  process.exit(2);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  console.error(`quipu: ${program} cannot be started: ${error.message}`);
  process.exit(2);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
