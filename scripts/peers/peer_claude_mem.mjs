// claude-mem: its own store, run by bun. What to say comes from peer_claude_mem.py on stdin, what the store has goes to stdout.
const peer = process.env.PEER;
const { SessionStore } = await import(`${peer}/package/plugin/sqlite/SessionStore.js`);
const { version } = await Bun.file(`${peer}/package/package.json`).json();
const [what, path] = process.argv.slice(2);
const { observations, edits } = await Bun.stdin.json();
const store = new SessionStore(path);
const sessions = new Map();
for (const [number, one] of observations.entries()) {
  if (!sessions.has(one.session)) {
    const id = store.createSDKSession(one.session, "otter", `What about ${one.session}?`);
    store.ensureMemorySessionIdRegistered(id, `memory-${one.session}`);
    sessions.set(one.session, id);
  }
  store.storeObservation(`memory-${one.session}`, "otter", one.observation, number, 0, one.time);
}
for (const [id, narrative] of edits) store.db.prepare("UPDATE observations SET narrative = ? WHERE id = ?").run(narrative, id);
const rows = store.db.prepare("SELECT o.*, s.content_session_id FROM observations o JOIN sdk_sessions s USING (memory_session_id) ORDER BY o.id").all();
store.db.close();
console.log(JSON.stringify({ version, rows }));
