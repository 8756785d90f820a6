// Finds the words of a search in a text as the server does: case, accents and punctuation do not matter, and
// the last word may be the beginning of one, unless it is in double quotes. The server says which other forms
// of the words it found.

const word = /[\p{L}\p{N}\p{Extended_Pictographic}\u20a0-\u20bf]+/gu;
const unspaced = /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u;

// fold returns a text in lower case and without accents, and the index in the text of each of its characters.
/** @param {string} text */
function fold(text) {
  let folded = '';
  /** @type {number[]} */
  const at = [];
  let index = 0;
  for (const character of text) {
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    for (let i = 0; i < plain.length; i++) at.push(index);
    folded += plain;
    index += character.length;
  }
  at.push(text.length);
  return { folded, at };
}

// wordsOf returns the words of a query: {text, last}.
/** @param {string} query */
export function wordsOf(query) {
  const words = fold(query).folded.match(word) ?? [];
  const isWhole = /\u0001[^\p{L}\p{N}\u0001]*$/u.test(query.replace(/"[^"]+"/g, '\u0001'));
  return words.map((text, i) => ({ text, last: i === words.length - 1 && !isWhole }));
}

// hitsIn returns where a text has words of a query, or these forms of them: [{from, to}], in order and
// without overlaps.
/** @param {string} text @param {string} query @param {string[]} [forms] */
export function hitsIn(text, query, forms = []) {
  const { folded, at } = fold(text);
  /** @type {{ from: number, to: number }[]} */
  const hits = [];
  const whole = wordsOf(forms.join(' ')).map((form) => ({ ...form, last: false }));
  for (const { text: wanted, last } of [...wordsOf(query), ...whole]) {
    const before = unspaced.test(wanted) ? '' : '(?<![\\p{L}\\p{N}])';
    const after = unspaced.test(wanted) || last ? '' : '(?![\\p{L}\\p{N}])';
    for (const hit of folded.matchAll(new RegExp(before + wanted + after, 'gu')))
      hits.push({ from: at[hit.index], to: at[hit.index + wanted.length] });
  }
  hits.sort((a, b) => a.from - b.from || b.to - a.to);
  return hits.filter(
    (hit, i) => hit.to > hit.from && hits.slice(0, i).every((before) => before.to <= hit.from),
  );
}

const LONG = 400; // characters, from which on a turn is not quoted whole

// quoteOf returns the part of a turn that is quoted: the whole turn, or of a long one the sentences from the
// first to the last hit: {from, to}.
/** @param {string} text @param {string} query @param {string[]} forms */
export function quoteOf(text, query, forms) {
  const trimmed = { from: text.length - text.trimStart().length, to: text.trimEnd().length };
  const hits = hitsIn(text, query, forms);
  if (text.length <= LONG || hits.length === 0) return trimmed;
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)];
  const touched = sentences.filter(({ index, segment }) =>
    hits.some((hit) => hit.from < index + segment.length && hit.to > index),
  );
  const [first, last] = [touched[0], touched[touched.length - 1]];
  const from = Math.max(trimmed.from, first.index);
  const to = first.index + text.slice(first.index, last.index + last.segment.length).trimEnd().length;
  return { from, to };
}
