// Import: a file of another program is sent, shown as a plan, and imported when somebody accepts it.
import { html, useEffect, useState } from '../vendor/preact.js';
import { act, finished } from '../lib/act.js';
import { ask, part } from '../lib/api.js';
import { dropped, useDrop } from '../lib/drop.js';
import { useValue } from '../lib/state.js';
import { useGet } from '../lib/live.js';
import { Line, Time, count, plain } from '../lib/text.js';
import { Chip, Command, Head, Loaded, Section } from '../lib/ui.js';

/** A piece of a file that is sent at once. */
const PIECE = 256 * 1024;

/** Why something is left out, in words. */
const REASONS = {
  empty: 'without words', noise: 'only thanks, questions or links', tool: 'words of tools', hidden: 'hidden messages', system: 'system prompts', sidechain: 'helper agents',
  branch: 'branches that were given up', 'do-not-remember': 'marked “do not remember”', deleted: 'deleted there', repeat: 'said before', secret: 'credentials', 'too-long': 'too long',
  'no-text': 'pictures and files', unreadable: 'cannot be read', filtered: 'older than asked for', chat: 'turns of conversations', derived: 'made by its program from the rest',
};

const PROGRAMS = 'Claude Code, ChatGPT, Claude, mem0, engram, basic-memory, claude-mem, Obsidian, Letta, MemPalace, the MCP memory server, a CSV file, a list';

/** Sends a file piece by piece; says how much has arrived. */
async function send(file, said) {
  const upload = await ask('POST', '/imports', { name: file.name, size: file.size, modified: new Date(file.lastModified).toISOString() });
  for (let at = 0; at < file.size; at += PIECE) {
    said(at / file.size);
    await ask('PUT', `/imports/${part(upload.id)}/content?offset=${at}`, file.slice(at, at + PIECE));
  }
  return upload;
}

const most = (counts) => Object.entries(counts).sort((a, b) => b[1] - a[1]);

const Counts = ({ title, of }) => most(of).length > 0 && html`<div><dt>${title}</dt><dd>${most(of).slice(0, 6).map(([name, n]) => html`<span class="tally" key=${name}><b>${n.toLocaleString('en')}</b> ${plain(name)}</span>`)}</dd></div>`;

/** What importing a file would do. */
function Plan({ plan, options, setOptions, accept, cancel, isBusy }) {
  const wanted = plan.new + plan.changed;
  const chats = plan.skipped.chat ?? 0;
  return html`<${Section} title="What would be imported" id="plan" class="plan">
    <p class="plan-n"><b>${wanted.toLocaleString('en')}</b> ${wanted === 1 ? 'memory' : 'memories'} from ${plain(plan.program)}<span class="quiet">${plan.changed > 0 && `, ${plan.changed} of them say something else by now`}${plan.known > 0 && `, ${plan.known} are here already`}</span></p>
    <dl class="tallies"><${Counts} title="What they are" of=${plan.categories} /><${Counts} title="How they last" of=${plan.layers} />
      <${Counts} title="Left out" of=${Object.fromEntries(Object.entries(plan.skipped).map(([name, n]) => [REASONS[name] ?? name, n]))} />
      ${plan.redacted > 0 && html`<div><dt>Credentials</dt><dd>blacked out in ${count(plan.redacted, 'memory', 'memories')}</dd></div>`}</dl>
    ${plan.warnings.map((one) => html`<p class="notice" key=${one}>${plain(one)}</p>`)}
    ${plan.samples.length > 0 && html`<h3>For example</h3><ul class="samples">${plan.samples.slice(0, 12).map((one) => html`<li key=${one.id}><${Line} text=${one.text} most=${300} /><p class="meta"><span>${plain(one.category)}</span><span>${plain(one.layer)}</span>${one.time ? html`<${Time} at=${one.time} />` : html`<span>no date</span>`}<span>${plain(one.rule)}</span></p></li>`)}</ul>`}
    <p class="filters"><label class="check"><input type="checkbox" checked=${!!options.with_chats} disabled=${isBusy} onChange=${(event) => setOptions({ ...options, with_chats: event.target.checked })} /> also the turns of conversations${chats > 0 && ` (${chats.toLocaleString('en')})`}</label>
      <label class="check"><input type="checkbox" checked=${!!options.keep_pins} disabled=${isBusy} onChange=${(event) => setOptions({ ...options, keep_pins: event.target.checked })} /> keep pins</label></p>
    <p class="buttons start"><button class="main" disabled=${isBusy || !wanted} onClick=${accept}>${wanted ? `Import ${count(wanted, 'memory', 'memories')}` : 'Nothing is new'}</button><button onClick=${cancel} disabled=${isBusy}>Leave it</button></p>
  </${Section}>`;
}

const FORMATS = ['chatgpt', 'claude', 'claude-code', 'mem0', 'mcp', 'basic-memory', 'engram', 'claude-mem', 'obsidian', 'letta', 'icm', 'graphiti', 'codex', 'gemini', 'slack', 'markdown', 'csv', 'json', 'list'];

function Wrong({ problem, choose, cancel }) {
  const isUnknown = ['unknown-format', 'several-formats', 'other-format'].includes(problem.code);
  return html`<div class="trouble" role="alert"><p><b>${plain(problem.message)}</b></p>
    ${isUnknown ? html`<p><label>It is <select onChange=${(event) => choose(event.target.value)}><option value="">choose a format</option>${FORMATS.map((one) => html`<option key=${one}>${one}</option>`)}</select></label></p>` : html`<p class="quiet">${plain(problem.hint ?? '')}</p>`}
    <p><button onClick=${cancel}>Take another file</button></p></div>`;
}

/** Where a file is dropped or chosen. */
function Drop({ take }) {
  const isOver = useDrop();
  return html`<label class="drop ${isOver ? 'over' : ''}">
    <svg viewBox="0 0 96 56" width="96" height="56" aria-hidden="true"><path d="M4 12c28-9 60-9 88 0" class="year-main" /><path d="M22 9v30M48 6v22M74 9v34" class="year-cord" /><circle cx="22" cy="20" r="4" class="year-knot" /><circle cx="22" cy="32" r="4" class="year-knot" /><circle cx="74" cy="24" r="4" class="year-knot" /><path d="M48 28v20m-6-6 6 7 6-7" class="drop-arrow" /></svg>
    <b>Drop a file here, or choose one</b>
    <span class="quiet">An export, an archive or a database of ${PROGRAMS}. You see a plan first; nothing changes until you accept it.</span>
    <input type="file" class="hush" onChange=${(event) => { take(event.target.files[0]); event.target.value = ''; }} /></label>`;
}

function Runs() {
  const runs = useGet('/imports');
  return html`<${Loaded} of=${runs} rows=${1}>${({ items }) => items.length > 0 && html`<${Section} title="Imported before" id="runs"><ul class="changes">${items.map((one) => html`<li key=${one.path} data-row><div><p>${count(one.memories, 'memory', 'memories')} from ${plain(one.program)}</p><p class="meta"><code>${plain(one.path)}</code></p></div></li>`)}</ul><p class="quiet">Each is a readable file. <a href="/settings#changes">Changes</a> takes any of them back.</p></${Section}>`}</${Loaded}>`;
}

export function Import() {
  const [file, setFile] = useState(null);
  const [upload, setUpload] = useState(null);
  const [plan, setPlan] = useState(null);
  const [options, setOptions] = useState({});
  const [step, setStep] = useState('');
  const [problem, setProblem] = useState(null);
  const clear = () => [setFile, setUpload, setPlan, setProblem].forEach((set) => set(null)) ?? setStep('');
  const look = async (of, wanted) => {
    setOptions(wanted);
    setProblem(null);
    setStep('Looking what is in it …');
    try {
      setPlan(await finished(await ask('POST', `/imports/${part(of.id)}/plan`, wanted), setStep));
    } catch (failed) {
      setPlan(null);
      setProblem(failed);
    }
    setStep('');
  };
  const take = async (taken) => {
    if (!taken) return;
    clear();
    setFile(taken);
    try {
      const sent = await send(taken, (share) => setStep(`Sending, ${Math.round(share * 100)} % …`));
      setUpload(sent);
      await look(sent, {});
    } catch (failed) {
      setProblem(failed);
      setStep('');
    }
  };
  const fallen = useValue(dropped);
  useEffect(() => {
    if (fallen) take(fallen);
    dropped.value = null;
  }, [fallen]);
  const accept = async () => {
    setStep('Importing …');
    const done = await act(`Imported ${count(plan.new + plan.changed, 'memory', 'memories')} from ${plan.program}`, 'POST', `/imports/${part(upload.id)}/accept`, options);
    if (done) clear();
    else setStep('');
  };
  const cancel = () => {
    if (upload) ask('DELETE', `/imports/${part(upload.id)}`).catch(() => {});
    clear();
  };
  return html`<${Head} title="Import">Bring along what another program remembers. Nothing is dated today, no credential gets in, and one click takes all of it back.</${Head}>
  ${file ? html`<p class="file"><b>${plain(file.name)}</b> <span class="quiet">${file.size >= 1e6 ? `${(file.size / 1e6).toFixed(1)} MB` : `${Math.ceil(file.size / 1e3)} kB`}</span> ${plan && html`<${Chip} kind="pinned">${plain(plan.format)}</${Chip}>`}</p>` : html`<${Drop} take=${take} />`}
  <p class="step quiet" role="status">${step}</p>
  ${problem && html`<${Wrong} problem=${problem} cancel=${cancel} choose=${(as) => as && look(upload, { ...options, as })} />`}
  ${plan && html`<${Plan} plan=${plan} options=${options} setOptions=${(wanted) => look(upload, wanted)} accept=${accept} cancel=${cancel} isBusy=${step !== ''} />`}
  ${!file && html`<${Runs} />`}
  <${Command} words=${['import', file?.name ?? 'FILE']} />`;
}
