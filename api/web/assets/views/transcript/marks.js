// What is marked in a transcript: its evidence, and words that somebody looks for.
import { byteLength, utteranceAt } from './bytes.js';

// marksOf returns the evidence within each utterance, by list index.
export function marksOf(utterances, evidence) {
  const of = new Map();
  for (const e of evidence) {
    if (e.byte_start === null) continue;
    for (
      let i = utteranceAt(utterances, e.byte_start);
      i < utterances.length && utterances[i].byte_start < e.byte_end;
      i++
    ) {
      if (of.has(i)) of.get(i).push(e);
      else of.set(i, [e]);
    }
  }
  return of;
}

// finding returns the occurrences of a text: [{at, byte_start, byte_end}].
export function finding(utterances, text) {
  if (text.trim().length < 2) return [];
  const pattern = new RegExp(
    text
      .trim()
      .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
      .replace(/\s+/g, '\\s+'),
    'giu',
  );
  const found = [];
  for (let at = 0; at < utterances.length && found.length < 1000; at++) {
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
