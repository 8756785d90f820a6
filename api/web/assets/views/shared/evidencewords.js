// The labels of evidence: its stance, strength, review, match and origin.

// stanceOrder is the order in which views show the stances.
/** @type {Stance[]} */
export const stanceOrder = ['supports', 'contradicts', 'neutral'];
/** @type {Record<Stance, string>} */
export const stances = { supports: 'For', contradicts: 'Against', neutral: 'Neutral' };
/** @type {Record<Stance, string>} */
export const stanceVerbs = { supports: 'Supports', contradicts: 'Contradicts', neutral: 'Neutral' };
/** @type {Record<Stance, string>} */
export const stanceMarks = { supports: '▲', contradicts: '▼', neutral: '●' };
/** @type {Record<Strength, string>} */
export const strengths = { weak: 'weak', medium: 'medium', strong: 'strong' };
/** @type {Record<ReviewState, string>} */
export const reviews = { suggested: 'to review', accepted: 'accepted', rejected: 'rejected' };

// unreviewed marks a quote that nobody has reviewed.
export const unreviewed = {
  short: 'not reviewed',
  long: 'The quote was suggested. No person has accepted it yet.',
};

// restsOn says how many of the quotes behind an answer people have reviewed: '' if there are no quotes.
/** @param {Reviewed} of */
export function restsOn({ quotes, accepted }) {
  if (quotes === 0) return '';
  if (accepted >= quotes) return `${quotes === 1 ? 'Its quote was' : `All ${quotes} quotes were`} reviewed.`;
  if (accepted === 0)
    return (
      `${quotes === 1 ? 'Its quote was not reviewed' : `None of ${quotes} quotes was reviewed`}: ` +
      'the answer rests on suggestions only.'
    );
  return `${accepted} of ${quotes} quotes were reviewed: the answer rests partly on suggestions.`;
}

// reviewedOf returns what restsOn takes.
/** @param {Balance} balance @returns {Reviewed} */
export const reviewedOf = ({ supports, contradicts, neutral, accepted }) => ({
  quotes: supports + contradicts + neutral,
  accepted,
});

/** @type {Record<Match, { short: string, long: string }>} */
export const matches = {
  verbatim: { short: 'verbatim', long: 'The quote matches the transcript word for word.' },
  repaired: {
    short: 'repaired',
    long: 'The AI’s quote differed slightly. The words shown are those of the transcript.',
  },
  manual: { short: 'not located', long: 'A person typed this quote. It was not found in a transcript.' },
};

// stillReading marks a quote of an interview whose other parts are still read.
export const stillReading = {
  short: 'still reading',
  long: 'The rest of the interview is still being read. This quote counts once that has ended.',
};

// unconfirmed marks a quote from a turn whose speaker is not certain.
export const unconfirmed = {
  short: 'speaker not confirmed',
  long: 'Somebody else may have said this. It counts for no person until somebody confirms the speaker.',
};

/** @type {Record<AskedKind, { short: string, long: string }>} */
const asked = {
  hypothetical: {
    short: 'answers a hypothetical question',
    long: 'The interviewer asked what would be. Such an answer says less than what happened.',
  },
  leading: {
    short: 'answers a leading question',
    long: 'The interviewer’s question suggests the answer. Such an answer says less.',
  },
};

// askedOf marks a quote that answers a question which makes it say less, or is null.
/** @param {{ asked_kind?: AskedKind | null }} evidence */
export const askedOf = ({ asked_kind: kind }) => (kind ? asked[kind] : null);

// capped says why a quote is medium evidence that was found as stronger: '' if it is not so.
/**
 * @param {{ asked_kind?: AskedKind | null } & Partial<Pick<EvidenceLink, 'strength' | 'given_strength'>>} of
 */
export function capped({ asked_kind, strength, given_strength: given }) {
  const mark = askedOf({ asked_kind });
  return mark && given && given !== strength && strength === 'medium'
    ? `Medium at most, because it ${mark.short}; it was found as ${strengths[given]}.`
    : '';
}

// placeLost marks a quote whose words no turn has any more.
export const placeLost = {
  short: 'no place in the transcript any more',
  long: 'The transcript was changed, and no turn has these words any more.',
};

// editedBy describes a quote whose words or speaker a person changed, or is null. Such a quote is not the
// extractor's.
/** @param {Pick<EvidenceRow, 'original_quote' | 'original_speaker'>} evidence */
export function editedBy({ original_quote: quote, original_speaker: speaker }) {
  if (quote == null && speaker == null) return null;
  const was = [
    quote != null && `Original quote: “${quote}”`,
    speaker != null && `Original speaker: ${speaker || 'unknown'}`,
  ]
    .filter(Boolean)
    .join('. ');
  return { short: 'edited by a person', long: `A member of the workspace changed this quote. ${was}` };
}

/** @param {Pick<EvidenceRow, 'origin' | 'model' | 'review'>} evidence */
export function origin(evidence) {
  if (evidence.origin === 'ai')
    return {
      short: evidence.model ? `AI · ${evidence.model}` : 'AI',
      long: 'Suggested by an AI model. The quote was checked against the transcript.',
    };
  if (evidence.origin === 'keyword')
    return evidence.review === 'accepted'
      ? {
          short: 'keyword match, judged by a person',
          long: 'Found by matching keywords, without AI. A person accepted the quote and its stance.',
        }
      : {
          short: 'keyword match',
          long: 'Found by matching keywords, without AI. The stance is a guess from the wording.',
        };
  return { short: 'by a person', long: 'Added by a member of the workspace.' };
}
