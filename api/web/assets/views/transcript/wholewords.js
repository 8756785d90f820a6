// Extends selections to whole words, as the language of the text has them.
/** @type {Intl.Segmenter | null} */
let segmenter = null;

// wordAround returns the word that contains the character at this index: {from, to}, or null between words.
/** @param {string} text @param {number} index */
function wordAround(text, index) {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const found = segmenter.segment(text).containing(index);
  return found?.isWordLike ? { from: found.index, to: found.index + found.segment.length } : null;
}

// wholeWords returns two points in the order of the text, moved to the begin and the end of the words they
// are in.
/**
 * @param {Pick<Utterance, 'text'>[]} utterances
 * @param {TextPoint} a
 * @param {TextPoint} b
 * @returns {[TextPoint, TextPoint]}
 */
export function wholeWords(utterances, a, b) {
  const [from, to] = a.at < b.at || (a.at === b.at && a.index <= b.index) ? [a, b] : [b, a];
  const first = wordAround(utterances[from.at].text, from.index);
  const last = to.index > 0 ? wordAround(utterances[to.at].text, to.index - 1) : null;
  return [
    { at: from.at, index: first ? first.from : from.index },
    { at: to.at, index: last ? last.to : to.index },
  ];
}
