// The wording of interviews: positions in a recording, formats, states and results.
import { count, language, number } from '../../page/words.js';

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

// waits says what work in the background waits for.
/** @type {Record<string, string>} */
export const waits = {
  worker: 'waiting for a free worker',
  turn: 'waiting for its turn',
  model_unavailable: 'waiting for the AI model, which is unavailable',
  model_rate_limited: 'waiting for the AI model, which limits requests',
  token_budget: 'waiting until 00:00 UTC, since the AI tokens of the day are used up',
  paused: 'paused by an operator',
  no_worker_of_version: 'waiting for a worker of the version that began it',
  workflow_task_failing: 'stopped by an error of the workers, which an operator must fix',
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
