// @ts-check
// The wording of times, sizes and counts, and the labels of the values of the API.

const language = navigator.language || 'en';
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const whole = new Intl.NumberFormat(language);

/** @param {string | number | null | undefined} iso */
export const date = (iso) => (iso ? day.format(new Date(iso)) : '');
/** @param {string | null | undefined} iso */
export const dateTime = (iso) => (iso ? minute.format(new Date(iso)) : '');

// dayIn returns the date of a moment in a time zone, such as 2031-05-06. A zone that this browser does not
// know counts as UTC.
/** @param {number} moment @param {string} timeZone */
export function dayIn(moment, timeZone) {
  const known = /** @type {Intl.DateTimeFormat} */ (zoned(timeZone) ?? zoned('UTC'));
  const { year, month, day } = Object.fromEntries(known.formatToParts(moment).map((p) => [p.type, p.value]));
  return `${year.padStart(4, '0')}-${month}-${day}`;
}

/** @param {string} timeZone */
function zoned(timeZone) {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  } catch {
    return null;
  }
}

// dayStarts returns the first second of a day in a time zone. It uses binary search, because clocks may skip
// midnight or a whole day. Zones are up to 14 hours ahead of UTC, and up to 12 behind.
/** @param {string} day @param {string} timeZone */
export function dayStarts(day, timeZone) {
  const utc = Date.parse(`${day}T00:00:00Z`) / 1000;
  let [before, after] = [utc - 15 * 3600, utc + 38 * 3600];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayIn(middle * 1000, timeZone) < day) before = middle;
    else after = middle;
  }
  return new Date(after * 1000);
}

// entriesOf returns the entries of an object whose keys are of a type.
/** @template {string} K @template V @param {Partial<Record<K, V>>} of */
export const entriesOf = (of) => /** @type {[K, V][]} */ (Object.entries(of));

/** @param {number} n */
export const number = (n) => whole.format(n);
/** @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = one + 's') => `${whole.format(n)} ${n === 1 ? one : many}`;

// clock formats a position in a recording: 4:05, 1:04:05.
/** @param {number | null | undefined} ms */
export function clock(ms) {
  if (ms === null || ms === undefined) return '';
  const s = Math.floor(ms / 1000);
  /** @param {number} n */
  const two = (n) => String(n).padStart(2, '0');
  return s >= 3600
    ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
    : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

/** @param {number} ms */
export function duration(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${Math.round(bytes / 1000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

// cost describes an estimate: "About 12 calls to the AI model, 35,000 tokens, €0.12".
/** @param {{ calls: number, tokens: number, amount: number, currency: string }} estimate */
export function cost({ calls, tokens, amount, currency }) {
  if (calls === 0) return 'No calls to an AI model are needed.';
  const parts = [`About ${count(calls, 'call')} to the AI model`, `${number(round(tokens))} tokens`];
  if (amount > 0)
    parts.push(
      new Intl.NumberFormat(language, { style: 'currency', currency, maximumSignificantDigits: 2 }).format(
        amount,
      ),
    );
  return `${parts.join(', ')}.`;
}

// round keeps two digits, because an estimate is not more exact.
/** @param {number} n */
const round = (n) => Number(n.toPrecision(2));

/** @param {number} part */
export const percent = (part) =>
  part > 0 && part < 0.01 ? 'under 1%' : part < 1 && part > 0.99 ? 'over 99%' : `${Math.round(part * 100)}%`;

// headline says how many participants support and contradict a hypothesis, the larger number first: parts of
// {text, stance}.
/** @param {PeopleCounts} people @returns {{ text: string, stance?: Stance }[]} */
export function headline({ asked, supporting, contradicting }) {
  /** @type {{ n: number, stance: Stance, verb: string }[]} */
  const all = [
    { n: supporting, stance: 'supports', verb: supporting === 1 ? 'supports' : 'support' },
    { n: contradicting, stance: 'contradicts', verb: contradicting === 1 ? 'contradicts' : 'contradict' },
  ];
  const parts = all.filter(({ n }) => n > 0).sort((a, b) => b.n - a.n);
  if (asked === 0) return [{ text: 'Nobody was asked yet' }];
  if (parts.length === 0)
    return [{ text: `None of ${count(asked, 'participant')} supports or contradicts it` }];
  return parts.map(({ n, stance, verb }, i) => ({
    stance,
    text: i === 0 ? `${number(n)} of ${count(asked, 'participant')} ${verb}` : `${number(n)} ${verb}`,
  }));
}

// restOf says what the people did who neither support nor contradict.
/** @param {Required<PeopleCounts>} people */
export const restOf = ({ mixed, neutral, silent }) =>
  [
    mixed > 0 && `${mixed} mixed`,
    neutral > 0 && `${neutral} only neutral`,
    silent > 0 && `${silent} said nothing about it`,
  ].filter((text) => text !== false);

// names lists names: "Maya, Jonas and 3 more".
/** @param {string[]} all @param {number} [show] */
export function names(all, show = 3) {
  if (all.length <= show) return all.join(', ');
  return `${all.slice(0, show).join(', ')} and ${all.length - show} more`;
}

/** @type {Record<string, string>} */
export const formats = {
  webvtt: 'WebVTT',
  vtt: 'WebVTT',
  srt: 'SubRip',
  subrip: 'SubRip',
  sbv: 'SBV',
  text: 'Plain text',
  txt: 'Plain text',
  markdown: 'Markdown',
  docx: 'Word',
  whisper: 'Whisper JSON',
  assemblyai: 'AssemblyAI JSON',
  deepgram: 'Deepgram JSON',
  fireflies: 'Fireflies',
  'fireflies-json': 'Fireflies JSON',
  ass: 'SubStation Alpha',
  ttml: 'Timed Text',
  eaf: 'ELAN',
  exb: 'EXMARaLDA',
  tei: 'TEI',
  trs: 'Transcriber',
  textgrid: 'Praat TextGrid',
  otr: 'oTranscribe',
  otter: 'Otter',
  rev: 'Rev',
  'zoom-chat': 'Zoom chat',
  'teams-docx': 'Teams (Word)',
  'meet-docx': 'Meet (Word)',
  odt: 'OpenDocument',
  rtf: 'Rich text',
  html: 'Web page',
  pdf: 'PDF',
  csv: 'Table (CSV)',
  xlsx: 'Spreadsheet',
  json: 'JSON',
  'rev-ai': 'Rev.ai JSON',
  aws: 'Amazon Transcribe JSON',
  google: 'Google JSON',
  azure: 'Azure JSON',
  speechmatics: 'Speechmatics JSON',
  elevenlabs: 'ElevenLabs JSON',
  gladia: 'Gladia JSON',
  gong: 'Gong JSON',
  huggingface: 'Hugging Face JSON',
  amberscript: 'Amberscript JSON',
  'slack-json': 'Slack JSON',
};

/** @type {Record<Stance, string>} */
export const stances = { supports: 'For', contradicts: 'Against', neutral: 'Neutral' };
/** @type {Record<Stance, string>} */
export const stanceVerbs = { supports: 'Supports', contradicts: 'Contradicts', neutral: 'Neutral' };
/** @type {Record<Stance, string>} */
export const stanceMarks = { supports: '▲', contradicts: '▼', neutral: '●' };
/** @type {Record<PersonStance, string>} */
export const personStances = {
  supports: 'supports',
  contradicts: 'contradicts',
  mixed: 'mixed',
  neutral: 'neutral',
  silent: 'said nothing about it',
  unread: 'not checked',
};
/** @type {Record<PersonStance, string>} */
export const personMarks = {
  supports: '▲',
  contradicts: '▼',
  mixed: '◆',
  neutral: '●',
  silent: '–',
  unread: '',
};
/** @type {Record<Strength, string>} */
export const strengths = { weak: 'weak', medium: 'medium', strong: 'strong' };
/** @type {Record<ReviewState, string>} */
export const reviews = { suggested: 'to review', accepted: 'accepted', rejected: 'rejected' };

/** @type {Record<Match, { short: string, long: string }>} */
export const matches = {
  verbatim: { short: 'verbatim', long: 'The quote matches the transcript word for word.' },
  repaired: {
    short: 'repaired',
    long: 'The AI’s quote differed slightly. The words shown are those of the transcript.',
  },
  manual: { short: 'not located', long: 'A person typed this quote. It was not found in a transcript.' },
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

/** @param {Pick<EvidenceRow, 'origin' | 'model'>} evidence */
export function origin(evidence) {
  if (evidence.origin === 'ai')
    return {
      short: evidence.model ? `AI · ${evidence.model}` : 'AI',
      long: 'Suggested by an AI model. The quote was checked against the transcript.',
    };
  if (evidence.origin === 'keyword')
    return {
      short: 'keyword match',
      long: 'Found by matching keywords, without AI. The stance is a guess from the wording.',
    };
  return { short: 'by a person', long: 'Added by a member of the workspace.' };
}

/** @type {Record<InterviewStatus, string>} */
export const interviewStatus = {
  uploaded: 'ready',
  queued: 'waiting',
  parsing: 'analysing',
  parsed: 'analysed',
  failed: 'failed',
  canceled: 'cancelled',
  terminated: 'stopped',
  timed_out: 'timed out',
};
/** @type {Record<InterviewStatus, string>} */
export const interviewSentence = {
  uploaded: 'Uploaded. Choose hypotheses to find evidence for.',
  queued: 'Waiting for a free worker.',
  parsing: 'Analysing the transcript.',
  parsed: 'Analysed.',
  failed: 'The analysis failed.',
  canceled: 'The analysis was cancelled. The evidence found so far is kept.',
  terminated: 'An operator stopped the analysis.',
  timed_out: 'The analysis took too long.',
};

/** @type {Record<string, string>} */
const waits = {
  worker: 'waiting for a free worker',
  turn: 'waiting for its turn',
  model_unavailable: 'waiting for the AI model, which is unavailable',
  model_rate_limited: 'waiting for the AI model, which limits requests',
};

// progress says how far an open import is, and what it waits for.
/** @param {Interview} row @param {boolean} cancelling */
export function progress(row, cancelling) {
  if (cancelling) return 'cancelling';
  const parts =
    row.progress_total > 0 && `${number(row.progress_done)} of ${count(row.progress_total, 'part')} analysed`;
  return [parts, waits[row.waiting_reason ?? '']].filter(Boolean).join(', ') || interviewStatus[row.status];
}

/** @param {InterviewStatus | undefined} status */
export const running = (status) => status === 'queued' || status === 'parsing';
/** @param {InterviewStatus | undefined} status */
export const startable = (status) =>
  ['uploaded', 'failed', 'canceled', 'terminated', 'timed_out'].includes(status ?? '');

/** @type {Record<Result, string>} */
export const results = {
  pending: 'no answer yet',
  supports: 'supports',
  contradicts: 'contradicts',
  mixed: 'mixed',
  undecided: 'undecided',
  nothing_found: 'nothing found',
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

/** @type {Record<string, string>} */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
/** @type {Record<string, string>} */
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  Mac: 'macOS',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

// device names the browser and the system of a user agent, or returns its beginning.
/** @param {string} agent */
export function device(agent) {
  /** @param {Record<string, string>} all */
  const find = (all) => Object.entries(all).find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  return browser && system ? `${browser} on ${system}` : agent.slice(0, 60) || 'Unknown device';
}
