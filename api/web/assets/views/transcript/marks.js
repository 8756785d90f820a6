// What is marked in a transcript: its evidence, and words that somebody looks for.
import { byteLength, utteranceAt } from './bytes.js';
import { hitsIn } from './highlight.js';

/** @typedef {import('./bytes.js').Words} Words */

// MOST is the number of occurrences after which no more turns are searched.
export const MOST = 1000;

// marksOf returns the evidence within each utterance, by list index.
/** @param {Words[]} utterances @param {LinkedEvidence[]} evidence */
export function marksOf(utterances, evidence) {
  /** @type {Map<number, LocatedEvidence[]>} */
  const of = new Map();
  for (const e of evidence.filter(located)) {
    for (
      let i = utteranceAt(utterances, e.byte_start);
      i < utterances.length && utterances[i].byte_start < e.byte_end;
      i++
    ) {
      const marks = of.get(i);
      if (marks) marks.push(e);
      else of.set(i, [e]);
    }
  }
  return of;
}

/** @param {LinkedEvidence} e @returns {e is LocatedEvidence} */
const located = (e) => e.byte_start !== null;

// occurrencesOf returns where a text occurs, each with the list index of its utterance.
/** @param {Words[]} utterances @param {string} text @returns {(MarkedWords & { at: number })[]} */
export function occurrencesOf(utterances, text) {
  if (text.trim().length < 2) return [];
  const pattern = new RegExp(
    text
      .trim()
      .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
      .replace(/\s+/g, '\\s+'),
    'giu',
  );
  /** @type {(MarkedWords & { at: number })[]} */
  const found = [];
  for (let at = 0; at < utterances.length && found.length < MOST; at++) {
    const u = utterances[at];
    for (const hit of u.text.matchAll(pattern)) {
      const byteStart = u.byte_start + byteLength(u.text, 0, hit.index);
      found.push({
        at,
        id: `find-${found.length}`,
        find: true,
        byte_start: byteStart,
        byte_end: byteStart + byteLength(hit[0]),
      });
    }
  }
  return found;
}

// placeIn returns the list index of the utterance at a place, and the words to mark in it. It returns null if
// there is no such utterance.
/**
 * @param {Pick<Utterance, 'ordinal' | 'text' | 'byte_start'>[]} utterances
 * @param {WantedPlace | null} place
 */
export function placeIn(utterances, place) {
  if (!place) return null;
  const at = utterances.findIndex((u) => u.ordinal === place.ordinal);
  if (at < 0) return null;
  if (place.bytes)
    return { at, words: [{ ...place.bytes, id: 'place-0', find: /** @type {const} */ (true) }] };
  const { text, byte_start: start } = utterances[at];
  /** @type {MarkedWords[]} */
  const words = hitsIn(text, place.words, place.forms).map(({ from, to }, i) => ({
    id: `place-${i}`,
    find: true,
    byte_start: start + byteLength(text, 0, from),
    byte_end: start + byteLength(text, 0, to),
  }));
  return { at, words };
}
