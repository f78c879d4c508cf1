// The memory that the browser tests look at: seven months of a small team that builds Heron, a booking service for
// ferries. Everything is invented, and the same in every run.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/** The moment at which everything has happened and the tests look at it. */
export const NOW = '2026-11-16T09:00:00Z';

const SESSIONS = 48;
const FIRST = Date.parse('2026-04-20T08:30:00Z');
const STEP = 4.35 * 86_400_000;

/** When a session began, such as the tenth. */
const begins = (session) => new Date(FIRST + session * STEP).toISOString().replace('.000', '');
const later = (time, minutes) =>
  new Date(Date.parse(time) + minutes * 60_000).toISOString().replace('.000', '');

// Of a fact: its section, the session it is from, its words, and which sessions use it.
const every = (n, from = 0, to = SESSIONS) => (s) => s >= from && s < to && (s - from) % n === 0;
const at = (...list) => (s) => list.includes(s);
const either = (...all) => (s) => all.some((one) => one(s));

const FACTS = [
  ['stack-rust-axum', 'Stack & Tools', 0, 'The booking service is one Rust binary on axum; nothing else answers requests', either(every(3, 0, 30), every(5, 30))],
  ['postgres-one-database', 'Stack & Tools', 0, 'One PostgreSQL 17 holds bookings, sailings and the queue; there is no Redis', every(4)],
  ['deploy-by-tag', 'Stack & Tools', 2, 'A tag `v*` deploys: CI builds the image, `heron-deploy` on Kestrel pulls it within a minute', either(every(2, 2, 14), at(21, 22, 33, 41, 46))],
  ['local-make-up', 'Stack & Tools', 3, '`make up` starts PostgreSQL and a fake port authority; `make seed` loads the summer timetable', either(every(3, 3, 16), at(24))],
  ['kestrel-is-the-server', 'Stack & Tools', 5, 'Production is a single machine, Kestrel, in Bergen; the standby is Gannet in Tromsø', at(5, 6, 11, 19, 28, 36, 45)],
  ['inv-seat-sold-once', 'Architectural Invariants', 0, 'A seat is sold at most once: the unique index on `(sailing, seat)` decides, never code', at(0, 7, 18, 31, 44)],
  ['inv-prices-in-ore', 'Architectural Invariants', 1, 'Prices are whole øre in the database and on the wire; only the page formats them', at(1, 9, 26)],
  ['inv-no-card-data', 'Architectural Invariants', 4, 'Card numbers never reach us: the payment page is Nordpay’s, we keep their reference', at(4, 15, 35)],
  ['holds-last-ten-minutes', 'Key Decisions', 4, 'A seat is held for ten minutes while somebody pays; a worker frees what ran out', either(every(2, 4, 13), at(15))],
  ['holds-last-fifteen-minutes', 'Key Decisions', 17, 'A seat is held for fifteen minutes: Vipps payments often took twelve', either(at(17, 18, 20, 23, 27, 34), every(3, 38))],
  ['polling-port-authority', 'Key Decisions', 2, 'Delays come from the port authority, polled every two minutes', at(2, 3, 5, 8, 12)],
  ['weather-cancels-by-hand', 'Key Decisions', 9, 'Weather cancels no sailing by itself: the captain does, in the crew app, with one tap', at(9, 10, 14, 19, 21)],
  ['refund-within-the-hour', 'Key Decisions', 11, 'A cancelled sailing refunds everybody within the hour, without asking', either(every(4, 11, 30), at(37, 42))],
  ['timetable-as-csv', 'Key Decisions', 6, 'The timetable is a CSV in the repository: people review it, `heron timetable check` proves it', either(every(3, 6, 22), at(29, 40, 43))],
  ['no-accounts', 'Key Decisions', 8, 'Passengers have no account; a booking opens with its code and the e-mail address', at(8, 9, 13, 16, 24, 25)],
  ['bikes-are-seats', 'Key Decisions', 13, 'A bicycle takes a place on the car deck and is sold like a seat, with its own price class', at(13, 14, 17, 22)],
  ['queue-in-postgres', 'Key Decisions', 7, 'Background work is rows in `job`, taken with `SKIP LOCKED`; four workers are plenty', either(every(3, 7, 20), at(26, 32, 39, 47))],
  ['pdf-tickets-dropped', 'Key Decisions', 10, 'Tickets are a web page with a QR code; PDFs were dropped after crew could not scan them', at(10, 11, 12)],
  ['errors-are-sentences', 'Conventions', 3, 'Every error a passenger can see is a full sentence in Norwegian and English, in `words.toml`', either(every(4, 3, 28), at(38))],
  ['commits-name-the-dock', 'Conventions', 5, 'Commits begin with the part they touch: `booking:`, `crew:`, `timetable:`', either(every(5, 5))],
  ['tests-own-clock', 'Conventions', 6, 'Tests never sleep: `TestClock` moves, and the worker is stepped by hand', either(every(2, 6, 19), every(6, 24))],
  ['screens-390-first', 'Conventions', 12, 'Screens are drawn for 390 px first; the desk in the terminal building is a wide exception', either(at(12, 14, 15, 20), every(6, 25))],
  ['maren-no-friday-deploys', 'User Preferences', 8, 'Maren wants no deploy on Fridays after noon, and none at all before a holiday', at(8, 16, 24, 30, 36, 41)],
  ['ada-short-plans', 'User Preferences', 2, 'Ada reads a plan of at most ten lines before the first change; code may come after', either(every(6, 2))],
  ['maren-operations', 'Team / Members', 1, 'Maren runs operations and speaks for the crews; Ada owns the booking service; Ivo the crew app', at(1, 9, 20, 31, 43)],
  ['nordpay-contact', 'Team / Members', 15, 'Nordpay’s support answers on weekdays until four; their test system is slow on Mondays', at(15, 17, 18)],
  ['winter-timetable-november', 'Key Decisions', 40, 'The winter timetable starts on 22 November; Sunday sailings to Sula are cut to two', at(40, 43, 45, 47)],
  ['webhooks-from-the-port', 'Key Decisions', 28, 'Delays arrive by webhook from the port authority; polling is the fallback, every ten minutes', either(at(28, 29, 31), every(4, 33))],
  ['crew-app-offline', 'Key Decisions', 30, 'The crew app works offline for a whole crossing and merges scans by the first time stamp', at(30, 31, 32, 35, 38, 42, 46)],
  ['metrics-are-four', 'Key Decisions', 22, 'Four numbers are watched: bookings a minute, holds that run out, refunds open, seconds to a ticket', at(22, 23, 26, 33)],
];

const THREADS = [
  [33, 'Ask Nordpay for a shorter settlement: three days hurt in July'],
  [38, 'Decide whether a bicycle trailer is one place or two'],
  [41, 'Load test the Sunday rush with 400 bookings a minute'],
  [44, 'Write the runbook for moving from Kestrel to Gannet'],
];

const AGENTS = ['Claude Code', 'Codex', 'Cursor', 'Claude Code'];
const DID = [
  'Moved the seat map to one query; the page opens in 90 ms instead of 400', 'Fixed the hold worker: it freed seats a minute late after a restart',
  'Added the refund list for the desk, with a filter for today', 'Wrote the check for overlapping sailings in the timetable',
  'Replaced the polling loop by a job that plans itself anew', 'Made the QR code larger and tested it with three scanners on the Sula',
  'Split `booking.rs`: price rules have a module of their own', 'Raised the request limit of the crew app’s sync to 2 MiB',
  'Rehearsed the move to Gannet: eleven minutes, two steps by hand', 'Wrote the Norwegian sentences for payment errors with Maren',
];
const ALSO = [
  'Answered Maren’s list of the week', 'Looked at the four numbers: nothing unusual', 'Raised three crates, no code changed', 'Tested the ticket page on an old phone',
  'Read the log of the night: one retry, no failure', 'Paired with Ivo on the crew app for an hour', 'Removed two hundred lines that nobody called', 'Wrote down what the captain of the Lunde said',
  'Measured the page of sailings: 70 ms at the desk', 'Cleaned the words for errors, both languages', 'Checked the backup by restoring it', 'Drew the next screen on paper with Maren', 'Made a test that failed once a week reliable',
];
const DECIDED = [
  'Group bookings stay by telephone this season', 'The seat map is not shown on small ferries', 'Old codes stay valid for a year', 'None',
  'A delay under five minutes is not announced', 'The desk may overbook the car deck by one place', 'None',
];
const NEXT = [
  'The Sunday rush is on the 29th: keep the load test small until then', 'Ivo waits for the merge of two scans', 'Nothing open from this',
  'Maren tests refunds on Thursday with the crew of the Sula', 'The standby has an old certificate',
];

// What was remembered: session it belongs to, category, text, and more of the batch's keys.
const RECORDS = [
  [0, 'user-preference', 'Ada likes to see the failing test before the fix', { speaker: 'Ada', tags: ['working-together'] }],
  [0, 'note', 'The first ferry to use Heron is the Sula, 120 seats and 30 cars'],
  [1, 'learned', 'Nordpay answers 202 for a payment that is still being checked; ask again after five seconds', { tags: ['payment'] }],
  [2, 'decision', 'Delays are polled from the port authority; webhooks come when they offer them', { tags: ['port'] }],
  [3, 'note', 'Maren showed the old desk program: nine clicks for one ticket', { speaker: 'Maren' }],
  [4, 'learned', 'PostgreSQL takes the partial index only when the query repeats `status = held`', { tags: ['postgres'] }],
  [5, 'error', 'The hold worker stopped silently when the connection was closed for two minutes', { tags: ['holds'], importance: 0.8 }],
  [5, 'user-preference', 'Maren prefers a phone call to a ticket when a crossing is at risk', { speaker: 'Maren' }],
  [6, 'decision', 'The standby Gannet is updated every night at two', { tags: ['operations'] }],
  [7, 'learned', '`SKIP LOCKED` lets four workers share a table without a queue server', { tags: ['postgres'] }],
  [8, 'note', 'The crew of the Sula asked for larger buttons: gloves', { tags: ['crew-app'] }],
  [9, 'convention', 'A migration has a line that says how long it locks, measured on a copy', { tags: ['postgres'] }],
  [10, 'learned', 'Crew scanners read the QR code from a phone at 40 % brightness, not from a folded PDF', { tags: ['crew-app'] }],
  [10, 'note', 'Ivo tested tickets on the Sula, the Lunde and the Hav', { speaker: 'Ivo' }],
  [11, 'decision', 'Refunds need no reason and no form', { tags: ['payment'], importance: 0.7 }],
  [12, 'note', 'The hold time is ten minutes', { tags: ['holds'], speaker: 'Ada' }],
  [13, 'learned', 'Two thirds of the passengers book on the day they travel'],
  [14, 'note', 'The Lunde has room for 12 bicycles, the Sula for 20', { tags: ['timetable'] }],
  [15, 'learned', 'Nordpay’s test system loses one callback in fifty on Mondays', { tags: ['payment'] }],
  [16, 'user-preference', 'Ivo wants screenshots in every pull request of the crew app', { speaker: 'Ivo' }],
  [17, 'decision', 'Hold seats for fifteen minutes, because paying with Vipps takes up to twelve', { tags: ['holds', 'payment'], importance: 0.8, speaker: 'Ada' }],
  [18, 'note', 'First weekend with fifteen minutes: holds that ran out fell from 9 % to 3 %', { tags: ['holds'] }],
  [19, 'error', 'The storm on the 9th cancelled eleven sailings; the refund job took 50 minutes', { tags: ['operations'], importance: 0.9 }],
  [20, 'learned', 'The refund job is bound by Nordpay’s limit of ten calls a second', { tags: ['payment'] }],
  [21, 'note', 'July: 41,000 bookings, three days without a support call'],
  [22, 'decision', 'Watch four numbers and no more', { speaker: 'Maren', tags: ['operations'] }],
  [24, 'user-preference', 'Maren reads the weekly summary on Mondays before seven', { speaker: 'Maren' }],
  [25, 'learned', 'A third of the bookings of the Hav are made at the desk', { tags: ['desk'] }],
  [26, 'note', 'Prices of the summer end on 30 September', { valid_to: '2026-10-01T00:00:00Z', tags: ['timetable'] }],
  [28, 'decision', 'Take the webhooks of the port authority; poll every ten minutes as a fallback', { tags: ['port'], importance: 0.7 }],
  [29, 'learned', 'The port authority signs its webhooks with a key that changes each quarter', { tags: ['port'] }],
  [30, 'note', 'The Hav has no signal for 35 minutes of its crossing', { tags: ['crew-app'] }],
  [31, 'decision', 'Scans made offline are merged by the first time stamp', { tags: ['crew-app'] }],
  [32, 'convention', 'The crew app asks for nothing twice in one crossing', { tags: ['crew-app'] }],
  [33, 'note', 'Settlement takes three days; in July that was 2.1 million kroner outstanding', { tags: ['payment'] }],
  [34, 'error', 'A double tap on Pay made two holds for one passenger', { tags: ['holds'] }],
  [36, 'note', 'Maren asked for no deploy before the autumn holiday', { speaker: 'Maren' }],
  [37, 'learned', 'Passengers open their ticket four times before boarding, mostly on the quay'],
  [38, 'user-preference', 'Ada wants comments to give the reason, never the story', { speaker: 'Ada' }],
  [39, 'learned', 'The job table stays fast while finished rows leave after a week', { tags: ['postgres'] }],
  [40, 'decision', 'The winter timetable starts on 22 November', { tags: ['timetable'], importance: 0.8 }],
  [41, 'note', 'The load test of 200 bookings a minute used a fifth of Kestrel', { tags: ['operations'] }],
  [42, 'learned', 'Offline scans of the Hav arrive in one burst of 80 at the quay in Ålesund', { tags: ['crew-app'] }],
  [43, 'note', 'Ivo is away until 20 November; Ada looks after the crew app', { speaker: 'Ada', valid_to: '2026-11-21T00:00:00Z' }],
  [44, 'error', 'The certificate of Gannet ran out on 3 November', { tags: ['operations'], importance: 0.8 }],
  [45, 'decision', 'Gannet takes its certificate from Kestrel each night', { tags: ['operations'] }],
  [46, 'note', 'The captain of the Lunde likes the new delay screen', { tags: ['crew-app'] }],
  [47, 'learned', 'The winter timetable has 14 sailings that the check calls too short; twelve are right', { tags: ['timetable'] }],
];

// Small things of every day, so that the memory is as full as a real one.
const SHIPS = ['Sula', 'Lunde', 'Hav', 'Frøya'];
const SMALL = [
  (n) => ['note', `The ${SHIPS[(n >> 2) % 4]} carried ${180 + ((n * 37) % 160)} passengers on its first sailing`],
  (n) => ['note', `Reviewed the bookings of the ${SHIPS[(n >> 3) % 4]} with Maren: ${2 + (n % 7)} came by telephone`],
  (n) => ['note', `Loading day ${n}: ${20 + ((n * 3) % 11)} cars on the ${SHIPS[(n >> 2) % 4]} in ${6 + ((n * 5) % 9)} minutes`],
  (n) => ['note', `CI took ${4 + (n % 3)} minutes and ${(n * 13) % 60} seconds after the change to the ${['seat map', 'price rules', 'crew sync', 'refund list'][n % 4]}`],
];

/** Runs the program in a folder at a moment, and returns what it says. */
export function quipu(program, folder, time, words, input) {
  const env = { ...process.env, QUIPU_USER: 'Ada', QUIPU_NOW: time };
  delete env.CLAUDECODE;
  return execFileSync(program, ['--json', '-C', folder, ...words], { env, input, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Tells the story in a folder that is not there yet. */
export function tell(program, folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync('git', ['init', '-q', folder]);
  const run = (time, words, input) => {
    try {
      return quipu(program, folder, time, words, input);
    } catch (error) {
      if (error.status === 1) return error.stdout;
      throw new Error(`${words.join(' ')}: ${error.stderr}`);
    }
  };
  run(begins(0), ['init', '--project', 'Heron']);
  let small = 0;
  for (let session = 0; session < SESSIONS; session += 1) {
    const start = begins(session);
    const agent = AGENTS[(session * 7 + (session >> 2)) % 4];
    const opened = JSON.parse(run(start, ['session', 'start', '--agent', agent]));
    const id = opened.session.id;
    for (const [fact, section, from, text] of FACTS) {
      if (from !== session) continue;
      run(later(start, 5), ['fact', 'add', text, '--section', section, '--id', fact, '--agree', '--confirm-core', '--session', id]);
    }
    if (session === 17) run(later(start, 9), ['fact', 'supersede', 'holds-last-ten-minutes', 'holds-last-fifteen-minutes']);
    if (session === 28) run(later(start, 9), ['fact', 'supersede', 'polling-port-authority', 'webhooks-from-the-port']);
    if (session === 14) run(later(start, 9), ['fact', 'core', 'stack-rust-axum']);
    for (const [from, text] of THREADS) if (from === session) run(later(start, 10), ['thread', 'open', text]);
    const records = RECORDS.filter(([from]) => from === session).map(([, category, text, more]) => ({ category, text, ...more }));
    for (let n = 0; n < 3; n += 1, small += 1) {
      const [category, text] = SMALL[small % 4](small);
      records.push({ category, text });
    }
    run(later(start, 20), ['remember', '--batch', '-', '--session', id], records.map((one) => JSON.stringify(one)).join('\n'));
    const used = FACTS.filter(([fact, , from, , uses]) => from <= session && uses(session)).flatMap(([fact]) => ['--ref', fact]);
    const decided = DECIDED[session % DECIDED.length];
    run(later(start, 75), ['session', 'end', '--session', id, '--force', '--did', DID[(session * 3) % DID.length], '--did', `${ALSO[session % ALSO.length]} (week ${17 + Math.floor(session * 0.62)})`, '--next', NEXT[session % NEXT.length], ...(decided === 'None' ? [] : ['--decided', decided]), ...used]);
    if ([11, 21, 32].includes(session)) run(later(start, 90), ['review']);
    if ([20, 36].includes(session)) run(later(start, 1000), ['dream']);
  }
  const end = '2026-11-14T16:00:00Z';
  run(end, ['remember', 'The hold time is twelve minutes', '-c', 'learned', '-t', 'holds', '--speaker', 'Ivo']);
  run(later(end, 2), ['remember', 'Maren prefers a ticket to a phone call when a crossing is at risk', '-c', 'user-preference', '--speaker', 'Maren']);
  run(later(end, 3), ['remember', 'The standby Gannet is updated every night at four', '-c', 'decision']);
  run(later(end, 5), ['entity', 'alias', 'kestrel', 'the production machine']);
  run(later(end, 600), ['dream']);
  run(later(end, 1500), ['remember', 'Ask the crew of the Frøya how the offline scans went', '-c', 'note']);
  const now = NOW.replace('09:00', '08:10');
  const open = JSON.parse(run(now, ['session', 'start', '--agent', 'Claude Code']));
  run(later(now, 10), ['session', 'note', 'Read the winter timetable with Maren; two sailings to Sula remain', '--session', open.session.id, '--ref', 'winter-timetable-november']);
  run(later(now, 20), ['remember', 'Maren agreed to move the first Sunday sailing to 08:15', '-c', 'decision', '-t', 'timetable', '--speaker', 'Maren', '--session', open.session.id]);
}

if (process.argv[1]?.endsWith('story.mjs')) tell(process.argv[2], process.argv[3]);
