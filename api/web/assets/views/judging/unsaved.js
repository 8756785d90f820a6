// The judgements of quotes. Each is stored in the browser until the server has it, so that none is lost
// without a connection. A judgement only replaces the state that its author saw: if somebody else judged the
// quote in the meantime, the author is asked.
import { ApiError } from '../../client/http.js';
import { call, one } from '../../client/api.js';
import { newId } from '../shared/ids.js';
import { session } from '../../client/session.js';
import { store } from '../../page/store.js';
import { problem, say, toast } from '../../page/messages.js';
import { reviews } from '../shared/evidencewords.js';
import { BATCH, saveBatch, sentenceOf } from './batches.js';

// The judgements that are not saved yet, in order.
/** @type {Store<Judgement[]>} */
export const unsaved = store([]);

// Whether the last attempt to send failed.
export const stuck = store(false);

const PREFIX = 'judgement ';
const MAX_WAIT_MS = 30_000;
/**
 * @typedef {object} Known
 * @property {string | null} [reviewed_at] when the server has it
 * @property {NewerJudgement} [newer]
 * @property {string} [by] whose it is, where it is neither the user's nor newer
 */
/** @typedef {Opinion & Known} Told what followers are told */
/** @typedef {import('./batches.js').What} What */
/** @typedef {{ evidenceId: string, hypothesisId: string | null, values: Told }} News */
/** @typedef {(news: News[]) => void} Follower */
const followers = /** @type {Set<Follower>} */ (new Set());
/** @type {Map<string, Judgement>} */
let memory = new Map(); // if the browser stores nothing
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let failures = 0;

// follow calls f(news) when judgements were made, saved or taken back.
/** @param {Follower} f */
export function follow(f) {
  followers.add(f);
  return () => followers.delete(f);
}

// What the followers were told, in order.
/** @type {News[]} */
const told = [];

/** @param {Judgement[]} items @param {(item: Judgement) => Told} valuesOf */
function tellAll(items, valuesOf) {
  if (items.length === 0) return;
  const news = items.map((item) => ({
    evidenceId: item.evidenceId,
    hypothesisId: item.hypothesisId,
    values: valuesOf(item),
  }));
  told.push(...news);
  followers.forEach((f) => f(news));
}
/** @param {Judgement} item @param {Told} values */
const tell = (item, values) => tellAll([item], () => values);

const own = () => `${PREFIX}${session.get().user?.id} `;

/** @param {Judgement[]} items */
function put(...items) {
  for (const item of items)
    try {
      localStorage.setItem(own() + item.key, JSON.stringify(item));
    } catch {
      memory.set(own() + item.key, item);
    }
  read();
}
/** @param {Judgement[]} items */
function take(...items) {
  for (const item of items) {
    memory.delete(own() + item.key);
    try {
      localStorage.removeItem(own() + item.key);
    } catch {
      // It was in memory only.
    }
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

// asks reports whether judging a quote so replaces what somebody else has said since it was loaded.
/** @param {Judgeable} row @param {Opinion} to */
export const asks = (row, to) => !!row.newer && differs(to, row);

// differs reports whether an opinion differs from another one, in what it says.
/** @param {Opinion} to @param {Opinion} from */
export const differs = (to, from) =>
  to.review !== from.review || (to.stance !== undefined && to.stance !== from.stance);

// ask keeps a judgement until its author says whether it replaces that of somebody else. The quote shows the
// latter meanwhile. A later answer takes the place of an earlier one.
/** @param {Judgeable} row @param {Opinion} to @param {string | null} hypothesisId */
function ask({ newer, ...row }, { review, stance = row.stance }, hypothesisId) {
  for (const item of unsaved.get()) if (isConflict(item) && item.evidenceId === row.id) take(item);
  const theirs = { ...stateOf(row), newer };
  put({
    key: newId(),
    at: Math.max(Date.now(), (unsaved.get().at(-1)?.at ?? 0) + 1),
    evidenceId: row.id,
    hypothesisId,
    from: theirs,
    to: { review, stance },
    theirs,
  });
  return stateOf(row);
}

// judge sends a judgement: the new review of a quote, and its stance towards a hypothesis. It returns the
// state before, with which judge undoes it. Where somebody else has judged the quote since it was loaded, the
// page asks first.
/** @param {Judgeable} row @param {Opinion} to @param {string | null} [hypothesisId] */
export function judge(row, { review, stance = row.stance }, hypothesisId = null) {
  if (asks(row, { review, stance })) return ask(row, { review, stance }, hypothesisId);
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

// What is told when the judgements of a selection are saved, by their batch.
/** @type {Map<string, { tally: Tally, done: (tally: Tally) => void }>} */
const batches = new Map();

// judgeAll sends judgements of many quotes, in a few requests. If somebody else judged a quote since it was
// loaded, theirs stands: nobody answers dozens of questions. done(tally) runs once all are saved. It returns
// the name of the batch.
/**
 * @param {{ row: Judgeable, review: ReviewState }[]} judgements
 * @param {(tally: Tally) => void} done
 */
export function judgeAll(judgements, done) {
  const batch = newId();
  const free = judgements.filter(({ row }) => !row.newer);
  const theirs = judgements.filter(({ row }) => row.newer).map(({ row }) => row.id);
  const tally = { ...emptyTally(), theirs, reviews: [...new Set(judgements.map(({ review }) => review))] };
  if (free.length === 0) {
    queueMicrotask(() => done(tally)); // as otherwise, after judgeAll has returned
    return batch;
  }
  batches.set(batch, { tally, done });
  const begun = Math.max(Date.now(), (unsaved.get().at(-1)?.at ?? 0) + 1);
  const waiting = new Map(unsaved.get().map((item) => [item.evidenceId, item]));
  const items = free.map(({ row, review }, i) => {
    const before = stateOf(row);
    const earlier = waiting.get(row.id);
    return {
      key: newId(),
      at: begun + i,
      batch,
      evidenceId: row.id,
      hypothesisId: null,
      from: earlier ? { ...before, reviewed_at: null, after: earlier.key } : before,
      to: { review, stance: row.stance },
      theirs: null,
    };
  });
  put(...items);
  tellAll(items, ({ to }) => ({ review: to.review }));
  send();
  return batch;
}

/** @returns {Tally} */
const emptyTally = () => ({
  saved: [],
  same: [],
  theirs: [],
  gone: [],
  refused: [],
  failed: [],
  reviews: [],
});

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
  const apply = ({ evidenceId, hypothesisId: of }, { review, reviewed_at: at, stance, newer }) => {
    if (evidenceId !== row.id) return;
    now = {
      ...now,
      review,
      newer,
      ...(at !== undefined && { reviewed_at: at }),
      ...(of === hypothesisId && { stance }),
    };
  };
  for (const one of told.slice(since)) apply(one, one.values);
  for (const item of unsaved.get()) if (!isConflict(item)) apply(item, item.to);
  return now;
}

/** @param {Judgement} item @returns {item is Conflict} */
export const isConflict = (item) => item.theirs !== null;

// resolve answers a conflict: with the own judgement, or with that of the other person.
/** @param {Conflict} item @param {boolean} mine */
export function resolve(item, mine) {
  if (mine) {
    put({ ...item, from: item.theirs, theirs: null });
    tell(item, item.to);
  } else {
    take(item);
    dropAfter(item.key, 'theirs'); // the answer is about the quote
    tell(item, item.theirs);
  }
  send();
}

// withdraw answers the open question about a quote as if it had not been judged, and reports whether there
// was one.
/** @param {string} evidenceId */
export function withdraw(evidenceId) {
  const open = unsaved
    .get()
    .filter(isConflict)
    .find((item) => item.evidenceId === evidenceId);
  if (open) resolve(open, false);
  return open !== undefined;
}

const returning = { Prefer: 'return=representation' };
/** @param {string} path @param {Partial<Opinion>} json @returns {Promise<JudgedState | undefined>} */
const patch = async (path, json) => (await call(path, { method: 'PATCH', json, headers: returning })).body[0];

// save stores a judgement, and returns the state of the server, or a conflict.
/** @param {Judgement} item @returns {Promise<JudgedState & { conflict?: boolean }>} */
async function save(item) {
  const { evidenceId: id, hypothesisId, from, to } = item;
  const seen = from.reviewed_at ? `eq.${encodeURIComponent(from.reviewed_at)}` : 'is.null';
  // Also where only the stance changes: it is said of the review that its author saw.
  let row = await patch(
    `/rest/v1/evidence?id=eq.${id}&review=eq.${from.review}&reviewed_at=${seen}&select=review,reviewed_at`,
    { review: to.review },
  );
  const link = `/rest/v1/evidence_hypotheses?evidence_id=eq.${id}&hypothesis_id=eq.${hypothesisId}`;
  if (row && hypothesisId && from.stance !== to.stance) {
    const saved = await patch(`${link}&stance=eq.${from.stance}&select=stance`, { stance: to.stance });
    if (!saved) row = undefined;
  }
  return row ? { ...row, stance: to.stance } : instead(item);
}

// instead returns the state of a quote for which a judgement was not saved, or a conflict.
/** @param {Judgement} item @returns {Promise<JudgedState & { conflict?: boolean }>} */
async function instead(item) {
  const { evidenceId: id, hypothesisId, from, to } = item;
  const now = await one('evidence', {
    id: `eq.${id}`,
    select:
      'review,reviewed_at,reviewed_by,profiles:profiles!evidence_reviewed_by_fkey(display_name),' +
      'edited_at,edited_by,editor:profiles!evidence_edited_by_fkey(display_name)',
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
  const me = session.get().user?.id;
  const untouched = now.reviewed_at === from.reviewed_at;
  const stance = untouched || (now.reviewed_by === me && now.review === to.review); // only that may be theirs
  const newer = stance
    ? { by: now.editor?.display_name ?? '', at: now.edited_at ?? '', stance }
    : { by: now.profiles?.display_name ?? '', at: now.reviewed_at ?? '', stance };
  if (same(state, to)) {
    // The answer of an earlier attempt was lost, or both say the same.
    const mine = stance && (from.stance === to.stance || now.edited_by === me);
    return mine ? state : { ...state, newer };
  }
  if (untouched && same(state, from))
    throw new ApiError('Your role in this workspace does not allow this.', { status: 403 });
  if (stance && !untouched && state.stance === from.stance) return save({ ...item, from: state });
  return { ...state, newer, conflict: true };
}

// dropAfter drops the judgements that wait for one: they were made for what is not so.
/** @param {string} key @param {What} what became of that one */
const dropAfter = (key, what) => drop(waitingFor(key), what);

// waitingFor returns the judgements that wait for one, in order.
/** @param {string} key */
function waitingFor(key) {
  const before = new Set([key]);
  return unsaved.get().filter((item) => before.has(item.from.after ?? '') && before.add(item.key));
}

/** @param {Judgement[]} items @param {What} what */
function drop(items, what) {
  take(...items);
  for (const batch of new Set(items.map((item) => item.batch)))
    if (batch) enter(items.filter((item) => item.batch === batch).map((item) => ({ item, what })));
}

// passOn gives the judgement that waits for another one the state that its author then saw. Where that is
// somebody else's, the latest asks, and those of selections are dropped.
/** @param {string} key @param {JudgedState} state */
function passOn(key, state) {
  const all = waitingFor(key);
  if (!state.newer) {
    put(...all.filter(({ from }) => from.after === key).map((item) => ({ ...item, from: state })));
    return;
  }
  const last = all.at(-1);
  const theirs = { ...state, stance: state.stance ?? last?.from.stance };
  const asking = last && !last.batch && differs(last.to, theirs) ? last : undefined;
  drop(
    all.filter((item) => item !== asking),
    'theirs',
  );
  if (asking) put({ ...asking, theirs });
}

// shows reports whether the page shows a quote as a judgement that is not saved yet has it.
/** @param {Judgement} of */
const shows = ({ evidenceId }) =>
  unsaved.get().some((item) => item.evidenceId === evidenceId && !isConflict(item));

// sendBatch saves judgements of one batch, which say the same. What was not saved is shown as the server has
// it.
/** @param {Judgement[]} items */
async function sendBatch(items) {
  const outcomes = await saveBatch(items);
  failures = 0;
  stuck.set(false);
  take(...items);
  for (const { item, what, state } of outcomes)
    if (what === 'gone' || what === 'refused') dropAfter(item.key, what);
    else passOn(item.key, state);
  const settled = outcomes.filter(({ item }) => !shows(item));
  const states = new Map(settled.map(({ item, state }) => [item, state]));
  tellAll([...states.keys()], (item) => {
    const { stance: _, ...now } = states.get(item) ?? item.from;
    return now;
  });
  enter(outcomes);
}

// enter enters what became of judgements of a batch in its tally, which is told after the last one.
/** @param {{ item: Judgement, what: Exclude<keyof Tally, 'reviews'> }[]} outcomes */
function enter(outcomes) {
  const { batch = '', to } = outcomes[0].item;
  const { tally, done } = batches.get(batch) ?? { tally: emptyTally(), done: sayTally };
  for (const { item, what } of outcomes) tally[what].push(item.evidenceId);
  if (!tally.reviews.includes(to.review)) tally.reviews.push(to.review);
  batches.set(batch, { tally, done });
  if (unsaved.get().some((item) => item.batch === batch)) return;
  batches.delete(batch);
  done(tally);
}

/** @param {Tally} tally */
const sayTally = (tally) => toast(sentenceOf(tally));

async function sendAll() {
  read();
  for (;;) {
    const all = unsaved.get();
    const keys = new Set(all.map(({ key }) => key));
    // A judgement after one with a conflict waits for the answer.
    const ready = all.filter((i) => !i.theirs && !keys.has(i.from.after ?? ''));
    const item = ready.at(0);
    if (!item || session.get().phase !== 'in') break;
    try {
      if (item.batch) {
        await sendBatch(
          ready.filter((i) => i.batch === item.batch && i.to.review === item.to.review).slice(0, BATCH),
        );
        continue;
      }
      const { conflict, ...state } = await save(item);
      failures = 0;
      stuck.set(false);
      if (conflict) {
        put({ ...item, theirs: state });
        if (!shows(item)) tell(item, state);
        continue;
      }
      take(item);
      passOn(item.key, state);
      if (!shows(item)) tell(item, state);
      say(`Quote ${reviews[state.review]}.`);
    } catch (error) {
      if (!(error instanceof ApiError) || error.temporary || error.status === 401 || error.status >= 500) {
        stuck.set(true);
        failures++;
        throw error;
      }
      const failed = item.batch ? unsaved.get().filter((i) => i.batch === item.batch) : [item];
      take(...failed);
      tellAll(failed, ({ from }) => from);
      if (item.batch) enter(failed.map((one) => ({ item: one, what: 'failed' })));
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
