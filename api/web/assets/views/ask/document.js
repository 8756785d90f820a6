// An answer with its quotes as a document to copy or save.
import { date } from '../../page/words.js';
import { matches, unconfirmed } from '../shared/evidencewords.js';
import { clock } from '../shared/interviewwords.js';
import { coverageOf, failureOf, nameOf, outcomeOf, peopleOf } from './words.js';

/** @typedef {import('../export/document.js').Block} Block */

/** @param {string} text @returns {Block} */
const line = (text) => ({ kind: 'text', text: text.replaceAll('\n', ' ') });

/** @param {AnswerQuote} q @returns {Block[]} */
const quoted = (q) => [
  { kind: 'quote', text: q.quote },
  {
    kind: 'source',
    source: [q.speaker, q.importTitle, clock(q.startMs)].filter(Boolean),
    facts: [
      q.speakerConfirmed ? '' : unconfirmed.short,
      q.match === 'repaired' ? matches.repaired.short : '',
    ].filter(Boolean),
  },
];

// documentOf returns the blocks of a document.
/** @param {AskedAnswer} answer @returns {Block[]} */
export function documentOf(answer) {
  const { title, question, status, sentences, passages, missing, peopleTotal, finishedAt } = answer;
  const heading = sentences.length > 0 ? 'Passages' : 'The closest passages';
  return [
    { kind: 'title', text: nameOf(answer).replaceAll('\n', ' ') },
    ...(title ? [line(`Question: ${question}`)] : []),
    line(status === 'answered' ? `Result: ${outcomeOf(answer)}.` : failureOf(answer)),
    ...sentences.flatMap((s) => [
      line(s.peopleCount > 0 ? `${s.text} (said by ${peopleOf(s.peopleCount, peopleTotal)})` : s.text),
      ...s.quotes.flatMap(quoted),
    ]),
    ...(missing ? [line(`What the interviews do not say: ${missing}`)] : []),
    ...(passages.length > 0 ? [/** @type {Block} */ ({ kind: 'heading', text: heading })] : []),
    ...passages.flatMap(quoted),
    line(
      [
        status === 'answered' && coverageOf(answer).replace(/\.?$/, '.'),
        'Every quote matches its transcript word for word.',
        finishedAt && `As of ${date(finishedAt)}.`,
      ]
        .filter(Boolean)
        .join(' '),
    ),
  ];
}

// quotesOf returns the number of quotes of an answer.
/** @param {AskedAnswer} answer */
export const quotesOf = ({ sentences, passages }) =>
  sentences.reduce((sum, s) => sum + s.quotes.length, passages.length);
