// Converts between the offsets of the service, which are bytes of UTF-8, and indices of strings, which are
// UTF-16 code units.

/** @typedef {Pick<Utterance, 'text' | 'byte_start'>} Words the text of an utterance, and where it begins */

// width returns the number of UTF-8 bytes of the character at index i. Four bytes are two code units.
/** @param {string} text @param {number} i */
function width(text, i) {
  const unit = text.charCodeAt(i);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length ? 4 : 3;
}

// byteLength returns the length of text.slice(from, to) in bytes.
/** @param {string} text @param {number} [from] @param {number} [to] */
export function byteLength(text, from = 0, to = text.length) {
  let bytes = 0;
  for (let i = from; i < to;) {
    const w = width(text, i);
    bytes += w;
    i += w === 4 ? 2 : 1;
  }
  return bytes;
}

// indexAt returns the index of the character that begins at this byte, or, if the byte is within a
// character, of the next one.
/** @param {string} text @param {number} byte */
function indexAt(text, byte) {
  let bytes = 0;
  let i = 0;
  while (i < text.length && bytes < byte) {
    const w = width(text, i);
    bytes += w;
    i += w === 4 ? 2 : 1;
  }
  return i;
}

// wholeCharacter moves an index that is inside a surrogate pair to the pair's begin or end.
/** @param {string} text @param {number} i @param {boolean} forward */
function wholeCharacter(text, i, forward) {
  const unit = text.charCodeAt(i);
  const before = text.charCodeAt(i - 1);
  const split =
    i > 0 && i < text.length && unit >= 0xdc00 && unit < 0xe000 && before >= 0xd800 && before < 0xdc00;
  return split ? i + (forward ? 1 : -1) : i;
}

// utteranceAt returns the list index of the utterance that contains this byte: the last one that begins at
// or before it.
/** @param {Pick<Utterance, 'byte_start'>[]} utterances @param {number} byte */
export function utteranceAt(utterances, byte) {
  let low = 0;
  let high = utterances.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (utterances[middle].byte_start <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}

// spanOf returns the quote between two points and its byte range. A point is the list index of an utterance
// and an index into its text. White space at both ends is excluded. If nothing remains, the result is null.
/** @param {Words[]} utterances @param {TextPoint} from @param {TextPoint} to @returns {Span | null} */
export function spanOf(utterances, from, to) {
  if (to.at < from.at || (to.at === from.at && to.index < from.index)) [from, to] = [to, from];
  let a = { at: from.at, index: wholeCharacter(utterances[from.at].text, from.index, false) };
  let b = { at: to.at, index: wholeCharacter(utterances[to.at].text, to.index, true) };
  for (;;) {
    if (a.at > b.at || (a.at === b.at && a.index >= b.index)) return null;
    const text = utterances[a.at].text;
    if (a.index >= text.length) a = { at: a.at + 1, index: 0 };
    else if (/\s/.test(text[a.index])) a.index++;
    else break;
  }
  for (;;) {
    if (b.index === 0) b = { at: b.at - 1, index: utterances[b.at - 1].text.length };
    else if (/\s/.test(utterances[b.at].text[b.index - 1])) b.index--;
    else break;
  }
  const parts = [];
  for (let i = a.at; i <= b.at; i++) {
    parts.push(utterances[i].text.slice(i === a.at ? a.index : 0, i === b.at ? b.index : undefined));
  }
  return {
    quote: parts.join('\n'),
    byteStart: utterances[a.at].byte_start + byteLength(utterances[a.at].text, 0, a.index),
    byteEnd: utterances[b.at].byte_start + byteLength(utterances[b.at].text, 0, b.index),
    from: a.at,
    to: b.at,
  };
}

// wordsAt returns the part of an utterance in a range of bytes.
/** @param {Words} utterance @param {ByteRange} range */
export const wordsAt = ({ text, byte_start: start }, range) =>
  text.slice(indexAt(text, range.byte_start - start), indexAt(text, range.byte_end - start));

// piecesOf splits the text of an utterance where marks begin or end: [{text, marks}], in order. A mark has
// byte_start and byte_end.
/**
 * @template {ByteRange} M
 * @param {Words} utterance
 * @param {M[]} marks
 */
export function piecesOf(utterance, marks) {
  const text = utterance.text;
  /** @type {{ from: number, to: number, mark: M }[]} */
  const inside = [];
  const cuts = new Set([0, text.length]);
  for (const mark of marks) {
    const from = indexAt(text, Math.max(0, mark.byte_start - utterance.byte_start));
    const to = indexAt(text, Math.max(0, mark.byte_end - utterance.byte_start));
    if (from >= to) continue;
    inside.push({ from, to, mark });
    cuts.add(from).add(to);
  }
  const at = [...cuts].sort((x, y) => x - y);
  const pieces = [];
  for (let i = 0; i + 1 < at.length; i++) {
    pieces.push({
      text: text.slice(at[i], at[i + 1]),
      marks: inside.filter((x) => x.from <= at[i] && x.to >= at[i + 1]).map((x) => x.mark),
    });
  }
  return pieces;
}
