// Text that somebody else wrote. It becomes text nodes and a few harmless elements, and nothing else: what cannot be
// seen is made visible, and links say where they lead.
import { h, html, useState } from '../vendor/preact.js';

// Control characters, marks that turn the direction of writing, and letters that take no room: with them a text can
// look like another one.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

// Joiners that a script or an emoji needs are no trick.
const isNeeded = (text, at, mark) =>
  (mark === '\u200d' || mark === '\u200c') && /[\p{Extended_Pictographic}\p{M}\p{Script=Arabic}]$/u.test(text.slice(Math.max(0, at - 3), at));

/** Returns a text as nodes, in which everything can be seen. */
export function plain(text) {
  text = String(text ?? '');
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    const [mark] = found;
    if (isNeeded(text, found.index, mark) || (mark === '\r' && text[found.index + 1] === '\n')) continue;
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const code = `U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    nodes.push(h('span', { class: 'hidden-mark', title: 'a character that cannot be seen' }, code));
    from = found.index + mark.length;
  }
  if (!nodes.length) return text;
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

/** Returns the beginning of a text on one line, as a string. */
export function line(text, most = 160) {
  const one = String(text ?? '').slice(0, most * 4).replace(/^\s*[-*]\s+/, '').replace(/\s*\n\s*[-*]\s+/g, ' · ').replace(/\s+/g, ' ').trim();
  return one.length > most ? `${one.slice(0, most - 1).trimEnd()}…` : one;
}

const INLINE = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\*\*(?=\S)([\s\S]*?\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]*?[^\s_])_(?!\w)|\[([^\]\n]{1,300})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]{1,2000})/gu;

function webAddress(text) {
  try {
    const address = new URL(text);
    return address.protocol === 'http:' || address.protocol === 'https:' ? address : null;
  } catch {
    return null;
  }
}

function link(words, target) {
  const address = webAddress(target);
  if (!address || address.username || address.password) return null;
  const shown = words === target ? plain(target) : [plain(words), ' ', h('span', { class: 'target' }, `(${address.host}${address.pathname.length > 1 ? '/…' : ''})`)];
  return h('a', { href: address.href, target: '_blank', rel: 'noopener noreferrer nofollow', title: address.href }, shown);
}

function inline(text, depth = 0) {
  if (depth > 4) return [plain(text)];
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, , code, strong, star, under, words, target, bare] = found;
    let node = null;
    if (code !== undefined) node = h('code', null, plain(code));
    else if (strong !== undefined) node = h('strong', null, inline(strong, depth + 1));
    else if (star !== undefined || under !== undefined) node = h('em', null, inline(star ?? under, depth + 1));
    else if (target !== undefined) node = link(words, target);
    else if (bare !== undefined) {
      const end = bare.replace(/[.,;:!?]+$/, '');
      const made = link(end, end);
      if (made) node = [made, plain(bare.slice(end.length))];
    }
    if (node === null) continue;
    if (found.index > from) nodes.push(plain(text.slice(from, found.index)));
    nodes.push(node);
    from = found.index + all.length;
  }
  if (from < text.length) nodes.push(plain(text.slice(from)));
  return nodes;
}

/** Returns words of one line as nodes, with what stands between backticks as code. */
export const ticks = (text) => String(text ?? '').split(/(`[^`]+`)/).filter(Boolean).map((one) => (/^`.+`$/s.test(one) ? h('code', null, plain(one.slice(1, -1))) : plain(one)));

/** Returns Markdown as elements: paragraphs, headings, lists, quotations and code; anything else is text. */
export function markdown(text) {
  const blocks = [];
  const lines = String(text ?? '').replace(/\r\n/g, '\n').split('\n');
  let at = 0;
  const take = (test) => {
    const taken = [];
    while (at < lines.length && test(lines[at], taken.length)) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length) {
    const now = lines[at];
    if (!now.trim()) {
      at += 1;
    } else if (/^\s*(```|~~~)/.test(now)) {
      const fence = now.trim().slice(0, 3);
      at += 1;
      const code = take((one) => !one.trim().startsWith(fence));
      at += 1;
      blocks.push(h('pre', { tabIndex: 0 }, h('code', null, plain(code.join('\n')))));
    } else if (/^#{1,6}\s/.test(now)) {
      at += 1;
      blocks.push(h('p', { class: `heading heading-${Math.min(3, now.indexOf(' '))}` }, inline(now.replace(/^#+\s+/, ''))));
    } else if (/^>\s?/.test(now)) {
      blocks.push(h('blockquote', null, inline(take((one) => /^>\s?/.test(one)).map((one) => one.replace(/^>\s?/, '')).join('\n'))));
    } else if (/^\s*([-*+]|\d{1,3}[.)])\s+/.test(now)) {
      const isCounted = /^\s*\d/.test(now);
      const items = [];
      for (const one of take((one, n) => n === 0 || /^\s*([-*+]|\d{1,3}[.)])\s+/.test(one) || /^\s{2,}\S/.test(one))) {
        const begun = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$/.exec(one);
        if (begun) items.push(begun[1]);
        else items[items.length - 1] += `\n${one.trim()}`;
      }
      blocks.push(h(isCounted ? 'ol' : 'ul', null, items.map((one) => {
        const box = /^\[([ xX])\]\s+/.exec(one);
        return h('li', box ? { class: 'boxed' } : null, box ? `${box[1] === ' ' ? '☐' : '☑'} ` : '', inline(box ? one.slice(box[0].length) : one));
      })));
    } else {
      blocks.push(h('p', null, inline(take((one, n) => n === 0 || (one.trim() && !/^(#{1,6}\s|>|\s*(```|~~~)|\s*[-*+]\s+)/.test(one))).join('\n'))));
    }
  }
  return blocks;
}

const FIRST = 1500;
const STEP = 40_000;

const size = (n) => (n < 10_000 ? `${n.toLocaleString('en')} characters` : n < 1_000_000 ? `${Math.round(n / 1000)} thousand characters` : `${(n / 1_000_000).toFixed(1)} million characters`);

/** A whole text as Markdown. A long one begins folded, and a very long one opens step by step. */
export function Words({ text, first = FIRST, quote }) {
  const [most, setMost] = useState(first);
  const all = String(text ?? '');
  const isCut = all.length > most * 1.25;
  const shown = isCut ? all.slice(0, most).replace(/[\ud800-\udbff]$/, '') : all;
  return html`<div class="words ${quote ? 'quote' : ''}" dir="auto">
    ${markdown(shown)}
    ${isCut && html`<p class="more"><button class="plain" onClick=${() => setMost(Math.min(all.length, most + STEP))}>
      Show ${all.length - most > STEP ? 'more' : 'all'} <span class="quiet">of ${size(all.length)}</span></button></p>`}
  </div>`;
}

/** The beginning of a text inside of a row or a title. */
export const Line = ({ text, most = 240 }) => html`<bdi class="line">${line(text, most) ? ticks(line(text, most)) : html`<i class="quiet">no words</i>`}</bdi>`;

const DAY = 86_400_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const yearOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Says when something was, in few words. */
export function when(text) {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text ?? '');
  const time = new Date(isDay ? `${text}T12:00:00` : text);
  if (Number.isNaN(time.getTime())) return text ?? '';
  const ago = Date.now() - time.getTime();
  if (!isDay && ago >= 0 && ago < 60_000) return 'just now';
  if (!isDay && ago >= 0 && ago < 3_600_000) return relative.format(-Math.floor(ago / 60_000), 'minute');
  const days = Math.round((new Date().setHours(12, 0, 0, 0) - new Date(time).setHours(12, 0, 0, 0)) / DAY);
  if (days === 0) return isDay ? 'today' : `today, ${clock.format(time)}`;
  if (days > 0 && days < 7) return relative.format(-days, 'day');
  return (time.getFullYear() === new Date().getFullYear() ? dayOf : yearOf).format(time);
}

/** A time as an element that tells all of it when asked. */
export function Time({ at }) {
  if (!at) return null;
  return html`<time datetime=${at} title=${String(at).replace('T', ' ').replace(/:\d\d(\.\d+)?Z$/, ' UTC')}>${when(at)}</time>`;
}

/** Writes out a day, such as Monday, 16 November 2026. */
export function day(text) {
  const time = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? text : longDay.format(time);
}

/** The clock of a time in UTC; nothing for midnight, which means that only the day is known. */
export const hour = (text) => (/T(\d\d:\d\d)/.exec(text ?? '')?.[1] ?? '').replace(/^00:00$/, '');

/** Counts something: "1 fact", "3 facts". */
export const count = (n, one, many = `${one}s`) => `${Number(n ?? 0).toLocaleString('en')} ${n === 1 ? one : many}`;
