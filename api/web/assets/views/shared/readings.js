// Who read an interview for a hypothesis, and what this can say. Keyword matching finds passages that share
// words with a hypothesis. That it finds none does not mean that nobody spoke about it.
import { count, number, percent, unmatchedText } from '../../page/words.js';
import { results } from './interviewwords.js';

// The columns of an answer that say what was read, and by whom.
export const answerColumns =
  'statement,result,coverage,model_coverage,readings,statement_language,checked_at';

/** @typedef {Pick<Answer, 'result' | 'coverage' | 'model_coverage'>} Result */

// byKeyword reports whether only keywords were matched.
/** @param {Pick<Answer, 'coverage' | 'model_coverage'>} answer */
export const byKeyword = ({ coverage, model_coverage: byModel }) => coverage > 0 && byModel === 0;

// unmatched reports whether keyword matching found nothing, and no model read the interview.
/** @param {Result} answer */
export const unmatched = ({ result, model_coverage: byModel }) => result === 'nothing_found' && byModel === 0;

// resultOf returns the label of an answer, its class, and what it means.
/** @param {Result} answer */
export const resultOf = (answer) =>
  unmatched(answer)
    ? {
        kind: 'unmatched',
        text: 'nothing by keywords',
        title: `${unmatchedText}. Keyword matching cannot tell whether somebody spoke about it.`,
      }
    : { kind: answer.result, text: results[answer.result], title: undefined };

/** @param {Pick<Reader, 'extractor' | 'model'>} reader */
const nameOf = ({ extractor, model }) =>
  extractor === 'keyword' ? 'keyword match, no AI' : model || 'an AI model';

// readBy names who read how much: "60% read by a-model, 40% by keyword match, no AI". It is empty if nobody
// did. Different prompts of a model are one reader.
/** @param {Reader[]} readings */
export function readBy(readings) {
  /** @type {Map<string, number>} */
  const parts = new Map();
  for (const one of readings) {
    const name = nameOf(one);
    parts.set(name, (parts.get(name) ?? 0) + one.coverage);
  }
  return [...parts]
    .filter(([, part]) => part > 0)
    .map(([name, part], i) => `${percent(Math.min(1, part))}${i === 0 ? ' read' : ''} by ${name}`)
    .join(', ');
}

// readersOf returns what read an interview for most of its hypotheses, as readBy says it.
/** @param {Pick<Answer, 'readings'>[]} answers */
export function readersOf(answers) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const { readings } of answers) {
    const text = readBy(readings);
    if (text) times.set(text, (times.get(text) ?? 0) + 1);
  }
  return [...times].sort((a, b) => b[1] - a[1]).at(0)?.[0] ?? '';
}

const tongues = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });
/** @param {string} tag */
const primary = (tag) => tag.split('-')[0].toLowerCase();

/** @param {string} tag */
function languageName(tag) {
  try {
    return tongues.of(primary(tag)) ?? tag;
  } catch {
    return tag; // a file can name any language
  }
}

// An answer, with the language of its interview.
/**
 * @typedef {Pick<Answer, 'coverage' | 'model_coverage' | 'statement_language'> & { language: string }}
 *   Spoken
 */

// foreignOf returns the answers of keyword matching whose hypothesis and interview have different languages.
/** @param {Spoken[]} answers */
const foreignOf = (answers) =>
  answers.filter(
    (a) =>
      byKeyword(a) &&
      a.language &&
      a.statement_language &&
      primary(a.language) !== primary(a.statement_language),
  );

/** @param {string[]} tags */
const languages = (tags) => new Intl.ListFormat('en').format([...new Set(tags.map(languageName))]);
const little = 'Keyword matching finds little across languages: a model reads both';

// foreignInterviews says in which languages other than that of the hypothesis interviews are, and what helps.
// It is empty if there are none.
/** @param {Spoken[]} answers of a hypothesis */
export function foreignInterviews(answers) {
  const apart = foreignOf(answers);
  const [first] = apart;
  if (!first) return '';
  const spoken = languages(apart.map((a) => a.language));
  return (
    `The hypothesis is in ${languageName(first.statement_language)}, ` +
    `${apart.length === 1 ? 'the interview' : `${number(apart.length)} interviews`} in ${spoken}. ` +
    `${little}, or word the hypothesis in ${spoken} too.`
  );
}

// foreignHypotheses says the same of the hypotheses of an interview.
/** @param {Spoken[]} answers of an interview */
export function foreignHypotheses(answers) {
  const apart = foreignOf(answers);
  const [first] = apart;
  if (!first) return '';
  const own = languageName(first.language);
  const worded = languages(apart.map((a) => a.statement_language));
  const which =
    apart.length < answers.length
      ? `${count(apart.length, 'hypothesis is', 'hypotheses are')}`
      : apart.length === 1
        ? 'The hypothesis is'
        : 'The hypotheses are';
  return (
    `${which} in ${worded}, the interview in ${own}. ` +
    `${little}, or word ${apart.length === 1 ? 'the hypothesis' : 'hypotheses'} in ${own} too.`
  );
}
