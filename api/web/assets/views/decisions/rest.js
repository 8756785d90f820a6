// What a verdict rests on, in numbers and in words.
import { list, one } from '../../client/api.js';
import { count, number, percent } from '../../page/words.js';

// restOf returns what a verdict on a hypothesis with these quotes would rest on now.
/** @param {Hypothesis} h @param {Balance} quotes @param {AbortSignal} [signal] @returns {Promise<Rest>} */
export async function restOf(h, { supports, contradicts, neutral }, signal) {
  const of = { hypothesis_id: `eq.${h.id}` };
  const [people, answers] = await Promise.all([
    one(
      'hypothesis_people',
      { ...of, select: 'participants,supporting,contradicting,mixed,neutral,silent,unmatched' },
      { signal },
    ),
    list(
      'import_hypotheses',
      { ...of, coverage: 'gt.0', select: 'coverage', order: 'import_id' },
      { signal },
    ),
  ]);
  return { ...nobody, ...people, supports, contradicts, neutrals: neutral, ...readOf(answers) };
}

// readOf counts the interviews that were read for a hypothesis, and how much of each was on average.
/** @param {Pick<Answer, 'coverage'>[]} answers */
export function readOf(answers) {
  const read = answers.filter(({ coverage }) => coverage > 0);
  const sum = read.reduce((all, { coverage }) => all + coverage, 0);
  return { interviews: read.length, coverage: sum / Math.max(1, read.length) };
}

const nobody = {
  participants: 0,
  supporting: 0,
  contradicting: 0,
  mixed: 0,
  neutral: 0,
  silent: 0,
  unmatched: 0,
};

/** @param {[number, string][]} parts those of nothing are left out, but not the first two */
const sum = (parts) =>
  parts
    .filter(([n], i) => n > 0 || i < 2)
    .map(([n, text]) => `${number(n)} ${text}`)
    .join(', ');

// restText says in one sentence what a verdict rests on: "7 people for, 2 against, 11 interviews".
/** @param {Pick<Rest, 'supporting' | 'contradicting' | 'mixed' | 'interviews'>} rest */
export const restText = ({ supporting, contradicting, mixed, interviews }) =>
  `${count(supporting, 'person', 'people')} for, ${number(contradicting)} against` +
  (mixed > 0 ? `, ${number(mixed)} mixed` : '') +
  (interviews > 0 ? `, ${count(interviews, 'interview')}` : '');

// restFacts says the same in full, as pairs of a word and what it is.
/** @param {Rest} rest @returns {[string, string][]} */
export const restFacts = (rest) => [
  [
    'People',
    rest.participants === 0
      ? 'nobody yet'
      : sum([
          [rest.supporting, 'for'],
          [rest.contradicting, 'against'],
          [rest.mixed, 'mixed'],
          [rest.neutral, 'only neutral'],
          [rest.silent, 'said nothing about it'],
          [rest.unmatched, 'with nothing by keywords'],
        ]),
  ],
  [
    'Quotes',
    sum([
      [rest.supports, 'for'],
      [rest.contradicts, 'against'],
      [rest.neutrals, 'neutral'],
    ]),
  ],
  [
    'Interviews',
    rest.interviews === 0
      ? 'none was read for it'
      : `${number(rest.interviews)} read for it, ` +
        (rest.coverage < 1 ? `${percent(rest.coverage)} of each on average` : 'in full'),
  ],
];
