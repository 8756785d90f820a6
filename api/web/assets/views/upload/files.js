// The files that the user is importing. They are kept, with everything that was typed about them, while the
// user looks at other views, and when the session ends, until the same user is back.
import { deleteInterview, list, upload } from '../../client/api.js';
import { ApiError, asError, statusOf } from '../../client/http.js';
import { alsoKept } from '../../page/drafts.js';
import { newId } from '../shared/ids.js';
import { alsoFor, inventoryOf, isEmpty } from '../reading/decisions.js';
import { speakers } from '../../client/people.js';
import { session } from '../../client/session.js';
import { store } from '../../page/store.js';
import { problem, say, toast } from '../../page/messages.js';
import { count, size } from '../../page/words.js';
import { orderOf, readDate } from './dates.js';
import { choicesOf, knownOf, suggested } from './voices.js';

/** @typedef {UploadItem} Item */
/** @typedef {UploadDuplicate} Duplicate */

/** @type {Store<Item[]>} */
export const uploads = store([]);

// How many files were imported since the page was opened.
export const imported = store(0);

// kept reports whether the session ended while there were files.
export const kept = store(false);

const MAX_BYTES = 10 * 2 ** 20; // the limit of the service
const AT_ONCE = 2; // as many as the service reads of one user
let nextId = 1;
/** @type {string | null} */
let owner = null; // the user to whom the files belong
let active = 0;
/** @typedef {{ id: number, act: (item: Item) => Promise<void> }} Job */
/** @type {Job[]} */
let queue = [];

/** @param {number} id */
const find = (id) => uploads.get().find((item) => item.id === id);

// change sets values of an item. Whatever is sent differently is another upload, with a key of its own.
/** @param {number} id @param {Partial<Item>} values */
export function change(id, values) {
  uploads.set(uploads.get().map((item) => (item.id === id ? { ...item, key: null, ...values } : item)));
}
/** @param {number} id @param {Partial<Item>} values */
const note = (id, values) =>
  uploads.set(uploads.get().map((item) => (item.id === id ? { ...item, ...values } : item)));

// add reads files for a project.
/** @param {string} projectId @param {string} personaId @param {FileList} files */
export function add(projectId, personaId, files) {
  owner = session.get().user?.id ?? null;
  const known = knownIn(projectId);
  /** @type {Item[]} */
  const added = [...files].map((file) => ({
    id: nextId++,
    projectId,
    personaId: personaId || null,
    file,
    state: 'reading',
    doing: 'reading',
    part: 0,
    error: null,
    refused: false,
    read: null,
    inventory: null,
    decided: {},
    again: false,
    lost: null,
    looked: false,
    layouts: [],
    layout: '',
    title: file.name.replace(/\.[^.]*$/, '') || file.name,
    date: '',
    typed: {},
    names: {},
    asks: {},
    same: {},
    others: [],
    known,
    sum: '',
    duplicate: null,
    answer: 'skip',
    key: null,
    control: new AbortController(),
  }));
  uploads.set([...uploads.get(), ...added]);
  for (const { id, file } of added) {
    if (file.size > MAX_BYTES)
      refuse(id, `The file is larger than ${size(MAX_BYTES)} (${size(file.size)}). Split the transcript.`);
    else if (file.size === 0) refuse(id, 'The file is empty.');
    else enqueue(id, read);
  }
}
/** @param {number} id @param {string} text */
const refuse = (id, text) => note(id, { state: 'failed', refused: true, error: new Error(text) });

// knownIn resolves to the speakers of the other interviews of a project, or to none: they only suggest.
/** @param {string} projectId @returns {Promise<KnownSpeakers>} */
const knownIn = (projectId) => speakers({ project_id: `eq.${projectId}` }).then(knownOf, () => knownOf([]));

/** @typedef {'title' | 'date' | 'personaId'} Column of the table of files */

// fill sets a column of files as the user typed it.
/** @param {Item[]} items @param {Column} column @param {string} value */
export function fill(items, column, value) {
  for (const { id, typed } of items)
    if (column === 'personaId') change(id, { personaId: value || null });
    else change(id, { [column]: value, typed: { ...typed, [column]: true } });
}

/** @typedef {{ text: string, why: string }} Refused a cell that changed nothing */
/** @typedef {{ refused: Refused[], unclear: string[] }} Pasted unclear: dates that may be two days */

// pasted fills rows and columns with the cells of a spreadsheet, and returns the cells that changed nothing:
// an empty one is none of them. A date that may be two days is read in the given order, or else in that of
// the others in its column.
/**
 * @param {Item[]} items
 * @param {Column[]} columns
 * @param {string[][]} cells
 * @param {{ id: string, name: string }[]} personas
 * @param {import('./dates.js').Order} [order]
 * @returns {Pasted}
 */
export function pasted(items, columns, cells, personas, order) {
  /** @type {Pasted} */
  const left = { refused: [], unclear: [] };
  const at = columns.indexOf('date');
  const known = order ?? orderOf(at < 0 ? [] : cells.map((row) => row[at] ?? ''));
  /** @type {Record<Column, (text: string) => string | undefined>} */
  const valueOf = {
    title: (text) => text.slice(0, 300),
    date(text) {
      const { date, wrong = '', orders } = readDate(text, known);
      if (orders) left.unclear.push(text);
      else if (!date) left.refused.push({ text, why: wrong });
      return date;
    },
    personaId(text) {
      const id = personas.find(({ name }) => name.toLowerCase() === text.toLowerCase())?.id;
      if (!id) left.refused.push({ text, why: 'is no persona of this project' });
      return id;
    },
  };
  cells.forEach((row, i) =>
    row.forEach((cell, j) => {
      const text = cell.trim();
      const item = find(items[i]?.id);
      const column = columns[j];
      if (!text) return;
      if (i >= items.length) left.refused.push({ text, why: 'is below the last file' });
      else if (!column) left.refused.push({ text, why: 'is beside the last column' });
      else if (item?.state === 'sending')
        left.refused.push({ text, why: 'comes too late: the file is sent' });
      else if (item) {
        const value = valueOf[column](text);
        if (value !== undefined) fill([item], column, value);
      }
    }),
  );
  return left;
}

// drop removes an item, and stops what is sent of it.
/** @param {number} id */
export function drop(id) {
  find(id)?.control.abort(new Error('removed'));
  queue = queue.filter((job) => job.id !== id);
  uploads.set(uploads.get().filter((item) => item.id !== id));
}

// again repeats what failed: reading a file, or importing it.
/** @param {number} id */
export function again(id) {
  const item = find(id);
  if (!item) return;
  note(id, { state: item.doing, part: 0, error: null, key: item.key ?? newId() });
  enqueue(id, item.doing === 'sending' ? send : read);
}

// readAs reads a file in another layout.
/** @param {number} id @param {Layout | ''} layout */
export function readAs(id, layout) {
  change(id, { layout, state: 'reading', part: 0, inventory: null });
  enqueue(id, read);
}

// begin imports files that are ready, and removes those that the user skips.
/** @param {Item[]} items */
export function begin(items) {
  for (const item of items) {
    if (skipped(item)) drop(item.id);
    else {
      note(item.id, { state: 'sending', part: 0, key: item.key ?? newId() });
      enqueue(item.id, send);
    }
  }
}

// twinOf returns the file before this one that has the same content.
/** @param {Item} item @returns {Item | undefined} */
export const twinOf = (item) =>
  uploads
    .get()
    .find(
      ({ id, sum, projectId }) =>
        item.sum && id < item.id && sum === item.sum && projectId === item.projectId,
    );
/** @param {Item} item */
export const repeated = (item) => !!(item.duplicate || twinOf(item));
/** @param {Item} item */
export const skipped = (item) => repeated(item) && item.answer === 'skip';

/** @param {number} id @param {Job['act']} act */
function enqueue(id, act) {
  queue.push({ id, act });
  next();
}

async function next() {
  if (active >= AT_ONCE || queue.length === 0) return;
  const { id, act } = /** @type {Job} */ (queue.shift());
  active++;
  try {
    const item = find(id);
    if (item) await act(item);
  } catch (error) {
    const item = find(id);
    if (item && !item.control.signal.aborted)
      note(id, {
        state: 'failed',
        doing: act === send ? 'sending' : 'reading',
        error: plain(error),
        refused: statusOf(error) === 400 || statusOf(error) === 422,
      });
    if (item && act === send) finish(item.projectId);
  }
  active--;
  next();
}

// plain explains the one error of a dry run that is about the request and not the file.
/** @param {unknown} error */
const plain = (error) =>
  error instanceof ApiError && error.details?.dry_run
    ? new Error('Unpack this zip, and choose the files in it.')
    : asError(error);

/** @param {Item} item */
const formOf = (item) => ({
  projectId: item.projectId,
  personaId: item.personaId,
  file: item.file,
  layout: item.layout,
  reading: item.layout || isEmpty(item.decided) ? undefined : item.decided,
  signal: item.control.signal,
});

/** @param {Item} item */
async function read(item) {
  /** @type {DryRun} */
  const found = await upload({ ...formOf(item), dryRun: true }, (part) => note(item.id, { part }));
  const known = await item.known;
  const duplicate = found.duplicateOf ? await describe(found.duplicateOf) : null;
  const sum = item.sum || (await digest(item.file));
  if (!find(item.id)) return;
  note(item.id, {
    ...readingOf(item, found, known),
    state: 'ready',
    sum,
    duplicate,
    layouts: item.layout ? item.layouts : found.layouts,
  });
  const doubtful = found.warnings.length > 0 || duplicate || found.reading?.needsLook;
  say(`${item.file.name} ${doubtful ? 'needs a look before it is imported' : 'can be imported'}.`);
}

// readingOf returns what was read of a file. known are the speakers of other interviews.
/** @param {Item} item @param {DryRun} found @param {KnownSpeakers} known @returns {Partial<Item>} */
const readingOf = (item, found, known) => ({
  read: found,
  inventory: found.reading ? inventoryOf(found.reading, item.inventory) : null,
  others: known.people,
  asks: { ...suggested(found, known.asking), ...find(item.id)?.asks },
  ...(find(item.id)?.typed.title ? {} : { title: found.proposed.title }),
  ...(find(item.id)?.typed.date ? {} : { date: found.proposed.interviewedOn ?? '' }),
});

const SOON_MS = 250; // after the last answer about a file
/** @type {Map<number, { timer: ReturnType<typeof setTimeout>, control: AbortController }>} */
const rereadings = new Map(); // by the ids of the files

// decide has a file read again with what the user decided about it. Of several decisions, the newest wins.
/** @param {number} id @param {Partial<Pick<Item, 'decided' | 'looked'>>} values */
export function decide(id, values) {
  const before = rereadings.get(id);
  clearTimeout(before?.timer);
  before?.control.abort();
  queue = queue.filter((job) => job.id !== id);
  change(id, { looked: false, ...values, again: true, lost: null });
  const timer = setTimeout(() => enqueue(id, reread), SOON_MS);
  rereadings.set(id, { timer, control: new AbortController() });
}

// reread reads a file again, while what was read of it stays in sight.
/** @param {Item} item */
async function reread(item) {
  const control = rereadings.get(item.id)?.control ?? item.control;
  const form = { ...formOf(item), signal: AbortSignal.any([item.control.signal, control.signal]) };
  try {
    /** @type {DryRun} */
    const found = await upload({ ...form, dryRun: true }, () => {});
    const known = await item.known;
    const now = find(item.id);
    if (now && !form.signal.aborted) note(item.id, { ...readingOf(now, found, known), again: false });
  } catch (error) {
    if (!form.signal.aborted) note(item.id, { again: false, lost: asError(error) });
  }
}

// uncertain reports whether a file waits for answers about its speakers.
/** @param {Item} item */
export const uncertain = ({ state, read: found, looked }) =>
  state === 'ready' && !looked && !!found?.reading?.needsLook;

// spread decides about the other files that wait for answers what was decided about this one, where they have
// its format and the same labels.
/** @param {Item} item */
export function spread({ id, projectId, decided, inventory, read: found }) {
  for (const other of uploads.get()) {
    if (other.id === id || other.projectId !== projectId || other.layout || !uncertain(other)) continue;
    if (!inventory || !other.inventory || other.read?.format !== found?.format) continue;
    const all = alsoFor(other.decided, other.inventory, decided, inventory);
    if (all !== other.decided) decide(other.id, { decided: all });
  }
}

// describe returns the interview that has the same content, and what is deleted with it.
/** @param {string} id @returns {Promise<Duplicate | null>} */
async function describe(id) {
  const [[row], quotes] = await Promise.all([
    list('imports', { id: `eq.${id}`, select: 'id,title,persona_id,interviewed_on', order: 'id' }),
    list('evidence', { import_id: `eq.${id}`, select: 'id,review', order: 'id' }),
  ]);
  if (!row) return null; // deleted just now
  return {
    ...row,
    quotes: quotes.length,
    judged: quotes.filter(({ review }) => review !== 'suggested').length,
  };
}

// digest returns a hash of a file, or '' where browsers offer none: at an address that is neither https nor
// localhost.
/** @param {File} file */
async function digest(file) {
  if (!globalThis.crypto?.subtle) return '';
  const sum = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {Item} item */
async function send(item) {
  const old = item.answer === 'replace' && !twinOf(item) ? item.duplicate : null;
  /** @type {{ importId: string }} */
  const { importId } = await upload(
    {
      ...formOf(item),
      personaId: old ? old.persona_id : item.personaId,
      title: old ? old.title : item.title,
      interviewedOn: old ? (old.interviewed_on ?? '') : item.date,
      speakers: choicesOf(old ? await asIn(item, old.id) : item),
      key: item.key,
    },
    (part) => note(item.id, { part }),
  );
  if (old) await replace(old);
  drop(item.id);
  say(`${item.file.name} is imported.`);
  imported.set(imported.get() + 1);
  sent.set(item.projectId, [...(sent.get(item.projectId) ?? []), importId]);
  finish(item.projectId);
}

/** @type {Map<string, string[]>} */
const sent = new Map(); // what was imported into each project since the last message about it

// finish says what was imported into a project, once nothing more is being sent.
/** @param {string} projectId */
function finish(projectId) {
  const ids = sent.get(projectId);
  if (!ids || uploads.get().some((item) => item.projectId === projectId && item.state === 'sending')) return;
  sent.delete(projectId);
  const link =
    ids.length === 1
      ? { href: `/imports/${ids[0]}`, text: 'Open it' }
      : { href: `/projects/${projectId}/interviews`, text: 'Show the list' };
  toast(`${count(ids.length, 'interview is', 'interviews are')} imported.`, { link });
}

// asIn returns an item whose people are those of the interview that it replaces, unless the user said
// otherwise.
/** @param {Item} item @param {string} importId @returns {Promise<Item>} */
async function asIn(item, importId) {
  const people = knownOf(await speakers({ import_id: `eq.${importId}` })).people;
  return { ...item, same: { ...Object.fromEntries(people.map(({ name, id }) => [name, id])), ...item.same } };
}

// replace deletes an interview whose file was imported again. The new one has its title, persona and date.
/** @param {Duplicate} old */
async function replace(old) {
  try {
    await deleteInterview(old.id);
  } catch (error) {
    if (statusOf(error) !== 404) problem(error);
  }
}

const answers = { skip: 'Skip', replace: 'Replace', keep: 'Keep both' };

// answersOf returns what can be done with a file that the project has already. One that is in the list twice
// replaces nothing.
/** @param {Item} item @returns {Partial<typeof answers>} */
export const answersOf = (item) => (twinOf(item) ? { skip: answers.skip, keep: answers.keep } : answers);

alsoKept(() => uploads.get().length > 0);

// What failed because the session had ended is repeated when the same user is back.
session.follow(({ phase, user }) => {
  if (phase === 'out' && uploads.get().length > 0) kept.set(true);
  if (phase !== 'in' || uploads.get().length === 0) return;
  if (user?.id !== owner) {
    for (const { id } of uploads.get()) drop(id);
    kept.set(false);
    return;
  }
  for (const { id, state, error } of uploads.get())
    if (state === 'failed' && statusOf(error) === 401) again(id);
});

// A file that is not imported yet is lost when the page is closed.
window.addEventListener('beforeunload', (event) => {
  if (uploads.get().some(({ refused }) => !refused)) event.preventDefault();
});
