// The wording of answers: how they end, what they rest on, and what reading everything costs.
import { config } from '../../client/session.js';
import { count, date, language, number, percent } from '../../page/words.js';
import { reasons } from '../interview/failure.js';
import { waits } from '../shared/interviewwords.js';

/** @param {AnswerStatus} status */
export const running = (status) => status === 'queued' || status === 'reading';

// usable returns the mode in which a question can be asked again: since then there may be a model, or none.
/** @param {AnswerMode} mode @returns {AnswerMode} */
export function usable(mode) {
  if (!config.usesModel) return 'passages';
  return mode === 'passages' ? 'quick' : mode;
}

/** @type {Record<AnswerStatus, string>} */
const ends = {
  queued: 'waiting',
  reading: 'reading',
  answered: 'passages only, no AI',
  failed: 'failed',
  canceled: 'cancelled',
  timed_out: 'timed out',
  terminated: 'stopped',
};
/** @type {Record<AnswerResult, string>} */
const results = {
  answered: 'answered',
  partly: 'answered in part',
  not_answered: 'not answered',
  not_found: 'not found',
};

// outcomeOf says in a word or two what became of a question.
/** @param {{ status: AnswerStatus, result: AnswerResult | null }} answer */
export const outcomeOf = ({ status, result }) =>
  status === 'answered' && result ? results[result] : ends[status];

/** @param {number} n @param {number} total */
export const peopleOf = (n, total) => `${number(n)} of ${count(total, 'person', 'people')}`;

// nameOf returns the title of an answer, which is the question unless it has a name of its own.
/** @param {{ title: string, question: string }} answer */
export const nameOf = ({ title, question }) => title || question;

// coverageOf says how much of the interviews was read.
/** @param {AskedAnswer} answer */
export function coverageOf({ mode, importsRead, importsTotal, passagesRead, passagesTotal, coverage }) {
  const interviews = count(importsTotal, 'interview');
  if (mode === 'passages')
    return `Compared the words of ${count(passagesTotal, 'passage')} of ${interviews}. No AI read them.`;
  if (mode === 'quick')
    return `Read ${number(passagesRead)} of ${count(passagesTotal, 'passage')} of ${interviews}`;
  const part = coverage < 1 ? `, ${percent(coverage)} of the words` : '';
  return `Read ${number(importsRead)} of ${interviews}${part}`;
}

// scopeOf says to which interviews a question was limited: '' if to none.
/** @param {AnswerScope} scope @param {Persona[]} all */
export function scopeOf({ personas = [], imports = [], from, to }, all) {
  return [
    personas.length > 0 &&
      personas.map((id) => all.find((p) => p.id === id)?.name ?? 'a deleted persona').join(', '),
    imports.length > 0 && count(imports.length, 'chosen interview'),
    from && `from ${date(from)}`,
    to && `until ${date(to)}`,
  ]
    .filter(Boolean)
    .join('; ');
}

const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 2 });

// costOf says what reading takes: "about 530K tokens, $0.08".
/** @param {Pick<AnswerEstimate, 'inputTokens' | 'outputTokens' | 'cost'>} estimate */
export function costOf({ inputTokens, outputTokens, cost }) {
  const tokens = `about ${compact.format(inputTokens + outputTokens)} tokens`;
  if (!cost) return tokens;
  const money = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: cost.currency,
    maximumSignificantDigits: 2,
  });
  return `${tokens}, ${money.format(cost.amount)}`;
}

// An English word is 1.4 tokens on average, and passages that are read one after the other overlap by 15 %.
const TOKENS_OF_A_WORD = 1.4 * 1.15;

/** @param {number} words */
export const tokensOf = (words) => Math.round(words * TOKENS_OF_A_WORD);

// progressOf says how far an answer is, and what it waits for.
/** @param {AskedAnswer} answer @param {boolean} cancelling */
export function progressOf({ mode, status, progress, waitingReason }, cancelling) {
  if (cancelling) return 'Cancelling…';
  const waiting = waits[waitingReason ?? ''];
  if (waiting) return `${waiting[0].toUpperCase()}${waiting.slice(1)}.`;
  if (status === 'queued') return 'Waiting for a free worker.';
  if (progress.total > 0 && mode === 'thorough')
    return `${number(progress.done)} of ${count(progress.total, 'part')} read.`;
  return 'Looking for what the interviews say.';
}

const asked = 'What was read is not paid for again.';

/** @type {Record<string, string>} */
const ended = {
  ...reasons,
  model_refused: 'The AI model declined to answer this question. Ask in other words.',
  token_limit:
    'Answering would need more tokens than one answer may use, or than are left today. ' +
    'Ask about fewer interviews, or ask again tomorrow.',
  interview_changed: `An interview changed while it was read. Ask again. ${asked}`,
  activity_timeout: `A step took too long. Ask again. ${asked}`,
  timed_out: `Answering took longer than the operator allows. Ask again. ${asked}`,
  canceled: `This was cancelled. ${asked}`,
  terminated: `An operator stopped this. Ask again. ${asked}`,
  history_deleted: 'The record of the work was deleted. Ask again.',
  internal: 'Something went wrong in this service. Ask again. If it happens again, tell the operator.',
};

// failureOf says why there is no answer, and what to do. Codes of newer servers have the server's message.
/** @param {AskedAnswer} answer */
export const failureOf = ({ status, errorCode, errorMessage }) =>
  ended[errorCode ?? ''] ?? (errorMessage || ended[status] || ended.internal);

// leftOutOf says what was not shown because it could not be proven.
/** @param {AskedAnswer} answer */
export const leftOutOf = ({ unsupportedCount, rejectedCount }) =>
  [
    unsupportedCount > 0 &&
      `${count(unsupportedCount, 'sentence was', 'sentences were')} left out, because no quote proves ` +
        `${unsupportedCount === 1 ? 'it' : 'them'}.`,
    rejectedCount > 0 &&
      `${count(rejectedCount, 'quote was', 'quotes were')} left out, because ` +
        `${rejectedCount === 1 ? 'it is' : 'they are'} not a participant’s words in the passage that was ` +
        'read.',
  ].filter((text) => text !== false);

// placeOf returns the address of a quote in its interview.
/** @param {AnswerQuote} q */
export function placeOf({ importId, evidenceId, utteranceFrom, byteStart, byteEnd }) {
  if (evidenceId) return `/imports/${importId}?e=${evidenceId}`;
  const place = utteranceFrom === null ? '' : `?u=${utteranceFrom}&b=${byteStart}-${byteEnd}`;
  return `/imports/${importId}${place}`;
}
