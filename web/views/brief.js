// Brief: what an agent reads first, how large it is, and what did not fit.
import { html, useState } from '../vendor/preact.js';
import { query } from '../lib/api.js';
import { useGet } from '../lib/live.js';
import { refine } from '../lib/place.js';
import { plain } from '../lib/text.js';
import { Command, Head, Loaded, Section } from '../lib/ui.js';

export function Brief({ query: said }) {
  const [hint, cap] = ['hint', 'cap'].map((name) => said.get(name) ?? '');
  const [text, setText] = useState(hint);
  const of = useGet(`/brief${query({ hint, cap })}`);
  return html`<${Head} title="Brief">What a session starts with: the most valuable of all that is remembered, as an agent reads it.</${Head}>
  <form class="filters" onSubmit=${(event) => { event.preventDefault(); refine({ hint: text.trim() }); }}><label class="grow">What is to be done? <input value=${text} placeholder="such as: fix the refund job" onInput=${(event) => setText(event.target.value)} /></label>
    <label>At most <select value=${cap} onChange=${(event) => refine({ cap: event.target.value })}><option value="">as configured</option>${[4000, 8000, 16000, 32000].map((one) => html`<option key=${one} value=${one}>${one.toLocaleString('en')} characters</option>`)}</select></label><button>Try it</button></form>
  <${Loaded} of=${of} rows=${8}>${(data) => html`
    <div class="gauge"><meter min="0" max=${data.cap} value=${data.chars} aria-label="Characters used"></meter><p><b>${data.chars.toLocaleString('en')}</b> of ${data.cap.toLocaleString('en')} characters, about ${data.tokens.toLocaleString('en')} tokens</p></div>
    <div class="table-scroll" tabindex="0" role="region" aria-label="Parts of the briefing"><table class="table"><caption class="hush">Parts of the briefing</caption><thead><tr><th scope="col">Part</th><th scope="col" class="num">Memories</th><th scope="col" class="num">Left out</th></tr></thead><tbody>${data.sections.map((one) => html`<tr key=${one.heading}><th scope="row">${plain(one.heading.replace(/:$/, ''))}</th><td class="num">${one.ids.length || one.parts}</td><td class="num">${one.left_out || '–'}</td></tr>`)}</tbody></table></div>
    ${data.too_long.length > 0 && html`<p class="notice">Too long for any briefing: ${plain(data.too_long.map((one) => one.id ?? one).join(', '))}</p>`}
    <${Section} title="As an agent reads it" id="text"><pre class="raw" tabindex="0">${plain(data.text)}</pre></${Section}>`}</${Loaded}>
  <${Command} words=${['brief', ...(hint ? ['--hint', hint] : [])]} />`;
}
