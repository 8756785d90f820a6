// What is known of the method of a study, in sentences.
import { count, date, number } from '../../page/words.js';

// methodOf returns sentences about the interviews and, if the report has findings, how they were read and
// reviewed for these.
/** @param {ReportFacts} facts @param {number} findings */
export const methodOf = (facts, findings) =>
  [asked(facts), ...(findings > 0 ? [read(facts), reviewed(facts)] : [])].filter((text) => text);

/** @param {ReportFacts} facts */
function asked({ interviews, participants, first_on: first, last_on: last, undated }) {
  if (interviews === 0) return 'There were no interviews.';
  const whom = participants > 0 ? ` with ${count(participants, 'participant')}` : '';
  const text = count(interviews, 'interview') + whom;
  if (!first) return `${text}, on days that are not known.`;
  const when = first === last ? date(first) : `${date(first)} to ${date(last)}`;
  const except = undated > 0 ? ` (the date of ${count(undated, 'interview')} is not known)` : '';
  return `${text}, ${when}${except}.`;
}

/** @param {ReportFacts} facts */
function read({
  interviews,
  by_model: byModel,
  by_keyword: byKeyword,
  by_both: byBoth,
  not_read: unread,
  models,
}) {
  if (interviews === 0) return '';
  const rest = interviews - byModel - byKeyword - byBoth - unread;
  const named = models.join(', ');
  const ways = [
    byModel > 0 && `${number(byModel)} in full by an AI model${named && ` (${named})`}`,
    byKeyword > 0 && `${number(byKeyword)} by keyword match only, without AI`,
    byBoth > 0 && `${number(byBoth)} in full, for some hypotheses by keyword match only`,
    rest > 0 && `${number(rest)} in part, or not for each hypothesis`,
    unread > 0 && `${number(unread)} not at all`,
  ].filter(Boolean);
  const by = named && byModel === 0 && `AI: ${named}.`;
  const more = rest + unread > 0 && 'Each finding says what was not read for it.';
  return [`How the interviews were read for these findings: ${ways.join('; ')}.`, by, more]
    .filter(Boolean)
    .join(' ');
}

/** @param {ReportFacts} facts */
function reviewed({ evidence: { quotes, accepted } }) {
  if (quotes === 0) return 'No quotes are behind these findings.';
  if (accepted === 0) {
    return quotes === 1
      ? 'The one quote behind these findings was not reviewed by a person.'
      : `None of the ${number(quotes)} quotes behind these findings was reviewed by a person.`;
  }
  const open = quotes - accepted;
  if (open <= 0)
    return quotes === 1
      ? 'The one quote behind these findings was reviewed by a person.'
      : `All ${number(quotes)} quotes behind these findings were reviewed by a person.`;
  return (
    `${number(open)} of ${count(quotes, 'quote')} behind these findings ${open === 1 ? 'was' : 'were'} ` +
    'not reviewed by a person.'
  );
}
