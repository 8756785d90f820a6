// The judgements of quotes. Each is stored in the browser until the server has it, so that none is lost
// without a connection. A judgement only replaces the state that its author saw: if somebody else judged the
// quote in the meantime, the author is asked.
import { ApiError } from '../../client/http.js';
import { call, one } from '../../client/api.js';
import { newId } from '../shared/ids.js';
import { session } from '../../client/session.js';
import { store } from '../../page/store.js';
import { problem, say } from '../../page/messages.js';
import { reviews } from '../shared/evidencewords.js';

// The judgements that are not saved yet, in order.
/** @type {Store<Judgement[]>} */
export const unsaved = store([]);

// Whether the last attempt to send failed.
export const stuck = store(false);

const PREFIX = 'judgement ';
const MAX_WAIT_MS = 30_000;
/** @typedef {Opinion & { reviewed_at?: string | null, by?: string }} Told what followers are told */
/** @typedef {(evidenceId: string, values: Told, hypothesisId: string | null) => void} Follower */
const followers = /** @type {Set<Follower>} */ (new Set());
/** @type {Map<string, Judgement>} */
let memory = new Map(); // if the browser stores nothing
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let failures = 0;

// follow calls f(evidenceId, values, hypothesisId) when a judgement was saved or taken back.
/** @param {Follower} f */
export function follow(f) {
  followers.add(f);
  return () => followers.delete(f);
}

// What the followers were told, in order.
/** @type {{ evidenceId: string, hypothesisId: string | null, values: Told }[]} */
const told = [];

/** @param {Judgement} item @param {Told} values */
function tell({ evidenceId, hypothesisId }, values) {
  told.push({ evidenceId, hypothesisId, values });
  followers.forEach((f) => f(evidenceId, values, hypothesisId));
}

const own = () => `${PREFIX}${session.get().user?.id} `;

/** @param {Judgement} item */
function put(item) {
  try {
    localStorage.setItem(own() + item.key, JSON.stringify(item));
  } catch {
    memory.set(own() + item.key, item);
  }
  read();
}
/** @param {Judgement} item */
function take(item) {
  memory.delete(own() + item.key);
  try {
    localStorage.removeItem(own() + item.key);
  } catch {
    // It was in memory only.
  }
  read();
}
function read() {
  const all = [...memory].filter(([key]) => key.startsWith(own())).map(([, item]) => item);
  try {
    for (const [key, value] of Object.entries(localStorage))
      if (key.startsWith(own())) all.push(JSON.parse(value));
  } catch {
    // The browser stores nothing.
  }
  unsaved.set(all.sort((a, b) => a.at - b.at));
}

/** @param {Omit<Judgeable, 'id'>} row @returns {JudgedState} */
const stateOf = ({ review, reviewed_at, stance }) => ({ review, reviewed_at, stance });

// judge sends a judgement: the new review of a quote, and its stance towards a hypothesis. It returns the
// state before, with which judge undoes it.
/** @param {Judgeable} row @param {Opinion} to @param {string | null} [hypothesisId] */
export function judge(row, { review, stance = row.stance }, hypothesisId = null) {
  const before = stateOf(row);
  const waiting = unsaved.get().findLast((item) => item.evidenceId === row.id && !item.theirs);
  /** @type {Judgement} */
  const item = {
    key: newId(),
    at: Math.max(Date.now(), (unsaved.get().at(-1)?.at ?? 0) + 1),
    evidenceId: row.id,
    hypothesisId,
    from: waiting ? { ...before, reviewed_at: null, after: waiting.key } : before,
    to: { review, stance },
    theirs: null,
  };
  put(item);
  tell(item, item.to);
  send();
  return before;
}

// moment returns the present, for asJudged.
export const moment = () => told.length;

// asJudged returns a row of the server as the user judged it. since is the moment at which the row was asked
// for: what was saved after it may be missing in the answer.
/**
 * @template {Judgeable} R
 * @param {R} row
 * @param {string | undefined} hypothesisId
 * @param {number} since
 * @returns {R}
 */
export function asJudged(row, hypothesisId, since) {
  let now = row;
  /** @param {Pick<Judgement, 'evidenceId' | 'hypothesisId'>} judgement @param {Told} values */
  const apply = ({ evidenceId, hypothesisId: of }, { review, reviewed_at: at, stance }) => {
    if (evidenceId !== row.id) return;
    now = {
      ...now,
      review,
      ...(at !== undefined && { reviewed_at: at }),
      ...(of === hypothesisId && { stance }),
    };
  };
  for (const one of told.slice(since)) apply(one, one.values);
  for (const item of unsaved.get()) apply(item, item.to);
  return now;
}

/** @param {Judgement} item @returns {item is Conflict} */
export const isConflict = (item) => item.theirs !== null;

// resolve answers a conflict: with the own judgement, or with that of the other person.
/** @param {Conflict} item @param {boolean} mine */
export function resolve(item, mine) {
  if (mine) put({ ...item, from: item.theirs, theirs: null });
  else {
    take(item);
    for (const later of unsaved.get())
      if (later.from.after === item.key) put({ ...later, from: item.theirs });
    tell(item, item.theirs);
  }
  send();
}

const returning = { Prefer: 'return=representation' };
/** @param {string} path @param {Partial<Opinion>} json @returns {Promise<JudgedState | undefined>} */
const patch = async (path, json) => (await call(path, { method: 'PATCH', json, headers: returning })).body[0];

// save stores a judgement, and returns the state of the server, or a conflict.
/** @param {Judgement} item @returns {Promise<JudgedState & { conflict?: boolean }>} */
async function save(item) {
  const { evidenceId: id, hypothesisId, from, to } = item;
  const seen = from.reviewed_at ? `eq.${encodeURIComponent(from.reviewed_at)}` : 'is.null';
  /** @type {Pick<JudgedState, 'review' | 'reviewed_at'> | undefined} */
  let row = { review: from.review, reviewed_at: from.reviewed_at };
  if (from.review !== to.review) {
    row = await patch(
      `/rest/v1/evidence?id=eq.${id}&review=eq.${from.review}&reviewed_at=${seen}&select=review,reviewed_at`,
      { review: to.review },
    );
  }
  const link = `/rest/v1/evidence_hypotheses?evidence_id=eq.${id}&hypothesis_id=eq.${hypothesisId}`;
  if (row && hypothesisId && from.stance !== to.stance) {
    const saved = await patch(`${link}&stance=eq.${from.stance}&select=stance`, { stance: to.stance });
    if (!saved) row = undefined;
  }
  if (row) return { ...row, stance: to.stance };
  const now = await one('evidence', {
    id: `eq.${id}`,
    select: 'review,reviewed_at,reviewed_by,profiles:profiles!evidence_reviewed_by_fkey(display_name)',
  });
  const linked = hypothesisId
    ? await one('evidence_hypotheses', {
        evidence_id: `eq.${id}`,
        hypothesis_id: `eq.${hypothesisId}`,
        select: 'stance',
      })
    : null;
  if (!now || (hypothesisId && !linked))
    throw new ApiError('This quote was deleted in the meantime.', { status: 404, code: 'gone' });
  const state = stateOf({ ...now, stance: linked?.stance ?? from.stance });
  /** @param {Opinion} a @param {Opinion} b */
  const same = (a, b) => a.review === b.review && (!hypothesisId || a.stance === b.stance);
  if (same(state, to)) return state; // the answer of an earlier attempt was lost, or both say the same
  if (now.reviewed_at === from.reviewed_at && same(state, from))
    throw new ApiError('Your role in this workspace does not allow this.', { status: 403 });
  if (now.reviewed_by === session.get().user?.id && now.review === to.review)
    return save({ ...item, from: state }); // only the stance is missing
  return { ...state, by: now.profiles?.display_name ?? '', conflict: true };
}

async function sendAll() {
  read();
  for (;;) {
    const all = unsaved.get();
    // A judgement after one with a conflict waits for the answer.
    const item = all.find((i) => !i.theirs && !all.some((other) => other.key === i.from.after));
    if (!item || session.get().phase !== 'in') break;
    try {
      const { conflict, ...state } = await save(item);
      failures = 0;
      stuck.set(false);
      if (conflict) {
        put({ ...item, theirs: state });
        continue;
      }
      take(item);
      for (const later of unsaved.get()) if (later.from.after === item.key) put({ ...later, from: state });
      if (!unsaved.get().some((i) => i.evidenceId === item.evidenceId)) tell(item, state);
      say(`Quote ${reviews[state.review]}.`);
    } catch (error) {
      if (!(error instanceof ApiError) || error.temporary || error.status === 401 || error.status >= 500) {
        stuck.set(true);
        failures++;
        throw error;
      }
      take(item);
      tell(item, item.from);
      problem(error);
    }
  }
}

let sending = false;

// send sends what is not saved yet, in one tab at a time, and tries again until the server answers.
async function send() {
  clearTimeout(timer);
  if (sending || session.get().phase !== 'in') return;
  sending = true;
  try {
    if (navigator.locks) await navigator.locks.request('research-judgements', sendAll);
    else await sendAll();
  } catch {
    timer = setTimeout(send, Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(failures, 5)));
  }
  sending = false;
}

// abandon forgets the judgements of a user that are not saved.
/** @param {string} userId */
export function abandon(userId) {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(`${PREFIX}${userId} `)) localStorage.removeItem(key);
  } catch {
    // The browser stores nothing.
  }
}

window.addEventListener('online', send);
window.addEventListener('storage', (event) => event.key?.startsWith(PREFIX) && read());
/** @param {{ phase: import('../../client/session.js').Phase }} now */
function begin({ phase }) {
  memory = phase === 'in' ? memory : new Map();
  if (phase !== 'in') unsaved.set([]);
  else {
    read();
    send();
  }
}
session.follow(begin);
begin(session.get());
