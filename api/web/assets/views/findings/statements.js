// What findings say in sentences, on the page and in documents.
import { askedOf, matches, placeLost, restsOn, unconfirmed, unreviewed } from '../shared/evidencewords.js';
import { clock } from '../shared/interviewwords.js';
import { count, date, names, number, percent, unmatchedText } from '../../page/words.js';

const NAMES = 8; // in a sentence

// peopleOf counts people by their stance, as words.headline needs it.
/** @param {Findings['people']} people @returns {Omit<Required<PeopleCounts>, 'others'>} */
export function peopleOf(people) {
  const n = (/** @type {PersonStance} */ stance) => people.filter((p) => p.stance === stance).length;
  return {
    asked: people.length - n('unread'),
    supporting: n('supports'),
    contradicting: n('contradicts'),
    mixed: n('mixed'),
    neutral: n('neutral'),
    silent: n('silent'),
    unmatched: n('unmatched'),
    unread: n('unread'),
  };
}

// sourceOf says who said a quote, when, and in which interview.
/** @param {FoundQuote} q */
export const sourceOf = (q) =>
  [q.speaker, clock(q.start_ms), q.interview ?? '', date(q.interviewed_on)].filter(Boolean);

// notesOn says what is not certain about a quote.
/** @param {FoundQuote} q */
export const notesOn = (q) =>
  [
    q.place_lost ? placeLost : q.match === 'manual' && matches.manual,
    q.speaker_confirmed === false && unconfirmed,
    askedOf(q),
    q.review === 'suggested' && unreviewed,
  ].filter((note) => !!note);

// inPart says how many of the interviews that were analysed were so in part only.
/** @param {number} partly @param {number} read */
const inPart = (partly, read) => {
  if (partly === 0) return '';
  return partly === read ? ', only in part' : `, ${number(partly)} of them only in part`;
};

// gapsOf says in sentences what the findings do not rest on.
/** @param {Findings} findings */
export function gapsOf({ people, persona, others, evidence, interviews, gaps }) {
  const unread = people.filter((p) => p.stance === 'unread').map((p) => p.label);
  const read = interviews - gaps.not_read.length;
  const partly = gaps.partly_read.length;
  return [
    evidence.quotes > 0 && restsOn(evidence),
    persona !== null &&
      others > 0 &&
      `It is about the persona “${persona}”: ${count(others, 'participant')} with another persona ` +
        `${others === 1 ? 'does' : 'do'} not count.`,
    read === 0
      ? 'No interview was analysed for this hypothesis.'
      : `${read} of ${count(interviews, 'interview')} ${read === 1 ? 'was' : 'were'} analysed ` +
        `for this hypothesis${inPart(partly, read)}.`,
    unread.length > 0 && `Not asked: ${count(unread.length, 'participant')} (${names(unread, NAMES)}).`,
    gaps.not_read.length > 0 && `Not analysed: ${names(gaps.not_read, NAMES)}.`,
    partly > 0 &&
      `Analysed in part: ${names(
        gaps.partly_read.map((i) => `${i.label} (${percent(i.coverage)})`),
        NAMES,
      )}.`,
    gaps.nothing_found.length > 0 && `Nothing found in ${names(gaps.nothing_found, NAMES)}.`,
    gaps.unmatched.length > 0 && `${unmatchedText} in ${names(gaps.unmatched, NAMES)} (no AI).`,
  ].filter((text) => text !== false);
}

// proofOf says how the quotes were checked.
/** @param {FoundQuote[]} quotes */
export function proofOf(quotes) {
  const lost = quotes.filter((q) => q.place_lost).length;
  const typed = quotes.filter((q) => q.match === 'manual').length - lost;
  if (quotes.length === 0) return '';
  const except = [
    typed > 0 && `${count(typed, 'quote')} that a person typed`,
    lost > 0 && `${count(lost, 'quote')} with no place in the transcript any more`,
  ].filter(Boolean);
  return except.length === 0
    ? 'Every quote matches its transcript word for word.'
    : `Quotes match their transcripts word for word, except ${except.join(' and ')}.`;
}
