// What is asked of the data API about quotes.

// Of a link to a hypothesis, as a list of quotes shows it.
export const linkColumns = 'stance,strength,given_strength,linked_at:updated_at';

// Of a quote, as its card shows it.
export const evidenceColumns =
  'id,project_id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,' +
  'byte_start,byte_end,match,confidence,origin,review,reviewed_at,model,created_at,edited_at,in_progress,' +
  'speaker_confirmed,place_lost,asked_kind,asked_start,asked_end,original_quote,original_speaker,memo,' +
  'reviewer:profiles!evidence_reviewed_by_fkey(id,display_name),' +
  'evidence_themes(theme_id,origin,review),comments(count)';

// Of a quote with its hypotheses.
const hypothesisColumns = 'hypothesis_id,stance,strength,given_strength';
export const linkedColumns = `${evidenceColumns},evidence_hypotheses(${hypothesisColumns})`;
