// The wording of times, sizes and counts, and the labels of the values of the API.

export const language = navigator.language || 'en';
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const whole = new Intl.NumberFormat(language);

// date is the day of a moment, or of a date without a time, which is the same day everywhere.
/** @param {string | number | null | undefined} iso */
export const date = (iso) =>
  iso
    ? day.format(new Date(typeof iso === 'string' && iso.length === DATE_LENGTH ? `${iso}T12:00` : iso))
    : '';
const DATE_LENGTH = '2031-04-12'.length;
/** @param {string | null | undefined} iso */
export const dateTime = (iso) => (iso ? minute.format(new Date(iso)) : '');

// entriesOf returns the entries of an object whose keys are of a type.
/** @template {string} K @template V @param {Partial<Record<K, V>>} of */
export const entriesOf = (of) => /** @type {[K, V][]} */ (Object.entries(of));

/** @param {number} n */
export const number = (n) => whole.format(n);
/** @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = one + 's') => `${whole.format(n)} ${n === 1 ? one : many}`;

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${Math.round(bytes / 1000)} kB`
      : bytes < 1e9
        ? `${(bytes / 1e6).toFixed(1)} MB`
        : `${(bytes / 1e9).toFixed(1)} GB`;

/** @param {number} part */
export const percent = (part) =>
  part > 0 && part < 0.01 ? 'under 1%' : part < 1 && part > 0.99 ? 'over 99%' : `${Math.round(part * 100)}%`;

// What keyword matching can say: it needs more than one shared word, people may have rejected what it found,
// and it does not know what is said in other words.
export const unmatchedText = 'Keyword matching found nothing that counts';

// nobodyText says why nobody counts: unread people are in interviews that were not checked.
/** @param {number} unread */
export const nobodyText = (unread) =>
  unread > 0 ? `Not checked with ${count(unread, 'participant')}` : 'Nobody was asked yet';

// headline says how many participants support and contradict a hypothesis, the larger number first: parts of
// {text, stance}.
/** @param {PeopleCounts} people @returns {{ text: string, stance?: Stance }[]} */
export function headline({ asked, supporting, contradicting, unmatched = 0, unread = 0 }) {
  /** @type {{ n: number, stance: Stance, verb: string }[]} */
  const all = [
    { n: supporting, stance: 'supports', verb: supporting === 1 ? 'supports' : 'support' },
    { n: contradicting, stance: 'contradicts', verb: contradicting === 1 ? 'contradicts' : 'contradict' },
  ];
  const parts = all.filter(({ n }) => n > 0).sort((a, b) => b.n - a.n);
  if (asked === 0) return [{ text: nobodyText(unread) }];
  if (asked === unmatched) return [{ text: unmatchedText }];
  if (parts.length === 0)
    return [{ text: `None of ${count(asked - unmatched, 'participant')} supports or contradicts it` }];
  return parts.map(({ n, stance, verb }, i) => ({
    stance,
    text: i === 0 ? `${number(n)} of ${count(asked, 'participant')} ${verb}` : `${number(n)} ${verb}`,
  }));
}

// restOf says what the people did who neither support nor contradict.
/** @param {Required<PeopleCounts>} people */
export const restOf = ({ mixed, neutral, silent, unmatched, others }) =>
  [
    mixed > 0 && `${mixed} mixed`,
    neutral > 0 && `${neutral} only neutral`,
    silent > 0 && `${silent} said nothing about it`,
    unmatched > 0 && `${unmatched} with nothing by keywords`,
    others > 0 && `${others} of another persona not counted`,
  ].filter((text) => text !== false);

// names lists names: "Maya, Jonas and 3 more".
/** @param {string[]} all @param {number} [show] */
export function names(all, show = 3) {
  if (all.length <= show) return all.join(', ');
  return `${all.slice(0, show).join(', ')} and ${all.length - show} more`;
}

/** @type {Record<PersonStance, string>} */
export const personStances = {
  supports: 'supports',
  contradicts: 'contradicts',
  mixed: 'mixed',
  neutral: 'neutral',
  silent: 'said nothing about it',
  unmatched: 'keyword matching found nothing that counts',
  unread: 'not checked',
};
/** @type {Record<PersonStance, string>} */
export const personMarks = {
  supports: '▲',
  contradicts: '▼',
  mixed: '◆',
  neutral: '●',
  silent: '–',
  unmatched: '?',
  unread: '',
};

/** @type {Record<Verdict, string>} */
export const hypothesisStatus = {
  untested: 'untested',
  testing: 'testing',
  validated: 'validated',
  invalidated: 'invalidated',
  inconclusive: 'inconclusive',
  parked: 'parked',
};
/** @type {Record<Category, string>} */
export const categories = {
  problem: 'Problem',
  customer: 'Customer',
  value: 'Value',
  channel: 'Channel',
  pricing: 'Pricing',
  other: 'Other',
};
/** @type {Record<Level, string>} */
export const importances = { high: 'High', medium: 'Medium', low: 'Low' };
/** @type {Record<QuestionStatus, string>} */
export const questionStatus = { open: 'open', asked: 'asked', answered: 'answered', dropped: 'dropped' };
/** @type {Record<Project['stage'], string>} */
export const stages = { problem: 'Problem', solution: 'Solution', market: 'Market', scale: 'Scale' };
/** @type {Record<Project['status'], string>} */
export const projectStatus = {
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
  archived: 'Archived',
};
/** @type {Record<Role, string>} */
export const roles = { owner: 'Owner', admin: 'Admin', editor: 'Editor', viewer: 'Viewer' };
/** @type {Record<Role, string>} */
export const roleSentences = {
  owner: 'manages everything, including other owners',
  admin: 'manages members and the workspace',
  editor: 'uploads, reviews and edits',
  viewer: 'only reads',
};
/** @type {Record<Role, number>} */
const rank = { viewer: 0, editor: 1, admin: 2, owner: 3 };
/** @param {Role} role @param {Role} wanted */
export const atLeast = (role, wanted) => rank[role] >= rank[wanted];

// isolated returns text whose direction has no effect on what is around it, for sentences that are no HTML.
/** @param {string} text */
export const isolated = (text) => `\u2068${text}\u2069`;
