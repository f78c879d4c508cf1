// Makes a PNG of a browser small: at most 256 colours, the rest goes to the nearest, and all of it compressed hard.
import { deflateSync, inflateSync } from 'node:zlib';

const SIGN = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const table = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
const crc = (bytes) => (bytes.reduce((c, byte) => table[(c ^ byte) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

function chunk(name, data) {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(name), data]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc(body));
  return Buffer.concat([head, body, end]);
}

/** Returns the pixels of a PNG with 8 bits a channel. */
function pixels(png) {
  const parts = [];
  let [width, height, channels] = [0, 0, 3];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR') [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9] === 6 ? 4 : 3];
    if (name === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * channels;
  const out = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x += 1) {
      const at = y * line + x;
      const a = x >= channels ? out[at - channels] : 0;
      const b = y ? out[at - line] : 0;
      const c = y && x >= channels ? out[at - line - channels] : 0;
      const p = a + b - c;
      const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
      out[at] = (raw[y * (line + 1) + 1 + x] + guess) & 255;
    }
  }
  return { width, height, channels, out };
}

/** Returns the same picture in few bytes. */
export function small(png) {
  const { width, height, channels, out } = pixels(png);
  const counts = new Map();
  for (let at = 0; at < out.length; at += channels) {
    const colour = (out[at] << 16) | (out[at + 1] << 8) | out[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const all = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  const kept = [];
  // Colours that are much used first, none of them all but the same as one before.
  for (const near of [18, 8, 0]) {
    for (const colour of all) {
      if (kept.length === 256) break;
      if (kept.every((one) => distance(one, colour) > near)) kept.push(colour);
    }
  }
  const nearest = new Map();
  const index = (colour) => {
    let found = nearest.get(colour);
    if (found === undefined) {
      found = kept.reduce((best, one, n) => (distance(one, colour) < distance(kept[best], colour) ? n : best), 0);
      nearest.set(colour, found);
    }
    return found;
  };
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * channels;
      lines[y * (width + 1) + 1 + x] = index((out[at] << 16) | (out[at + 1] << 8) | out[at + 2]);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from(kept.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([SIGN, chunk('IHDR', head), chunk('PLTE', palette), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

const distance = (a, b) => Math.abs((a >> 16) - (b >> 16)) + Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)) + Math.abs((a & 255) - (b & 255));
