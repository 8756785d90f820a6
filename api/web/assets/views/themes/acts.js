// What changes themes and their quotes. Each change is shown at once, stored, and can be taken back.
import { useRef, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { session } from '../../client/session.js';
import {
  addTheme,
  assign,
  changesOf,
  inUse,
  mergeThemes,
  moveEvidence,
  splitTheme,
  toHypothesis,
  unassign,
  undo,
} from '../../client/themes.js';
import { problem, say } from '../../page/messages.js';
import { count, isolated } from '../../page/words.js';
import { accepted, besides, having, merged, moved, withTheme } from './groups.js';

// What is said of the last change.
/**
 * @typedef {object} Done
 * @property {string} text
 * @property {string} [id] of the change, if the server named it
 * @property {string} [undid] the change that took back what is said
 * @property {{ href: string, text: string }} [link] what the change led to
 */

/** @param {{ name: string } | null | undefined} theme */
const named = (theme) => (theme ? `“${isolated(theme.name)}”` : '“No theme yet”');

/** @param {string} text */
const lower = (text) => text[0].toLowerCase() + text.slice(1);

/** @type {Record<string, string>} */
const kinds = {
  add: 'added',
  rename: 'renamed',
  change: 'changed',
  nest: 'nested',
  merge: 'merged',
  split: 'split',
  move: 'moved quotes of',
  assign: 'changed the quotes of',
  archive: 'archived',
  delete: 'deleted',
};

/** @param {ThemeChange} change */
const described = ({ kind, name }) => `${kinds[kind] ?? kind} ${name ? named({ name }) : 'a theme'}.`;

// useActs returns what changes themes, and what it did last.
/** @param {Context} context @param {ReturnType<typeof import('./data.js').useThemes>} board */
export function useActs(context, board) {
  const { change, save } = board;
  const undoing = useUndo(context.id, save);
  const { tell } = undoing;
  // act shows a change, stores it and says so.
  /** @param {string} text @param {import('./groups.js').Change} shown @param {() => Promise<unknown>} send */
  async function act(text, shown, send) {
    change(shown);
    try {
      const answer = await save(send);
      tell({ text, id: /** @type {Partial<ThemeChanged> | null} */ (answer)?.change_id });
      return true;
    } catch (error) {
      problem(error);
      return false;
    }
  }
  /** @type {Base} */
  const base = {
    context,
    themes: board.data?.themes ?? new Map(),
    suggested: (theme) =>
      [...(board.data?.links.values() ?? [])].some((links) =>
        links.some((l) => l.theme_id === theme && l.review === 'suggested'),
      ),
    change,
    save,
    act,
    tell,
  };
  return {
    done: undoing.done,
    hide: undoing.hide,
    back: undoing.back,
    again: undoing.again,
    ...quoteActs(base),
    ...themeActs(base),
    /** @param {string} id @param {Noted} notes */
    noted: (id, { memo, comments }) => board.changeQuote(id, { noted: memo !== '' || comments > 0 }),
  };
}

/**
 * @typedef {object} Base
 * @property {Context} context
 * @property {Map<string, Theme>} themes
 * @property {(theme: string) => boolean} suggested whether a quote of it is
 * @property {(shown: import('./groups.js').Change) => void} change
 * @property {<T>(send: () => Promise<T>) => Promise<T>} save
 * @property {(text: string, shown: import('./groups.js').Change, send: () => Promise<unknown>) =>
 *   Promise<boolean>} act
 * @property {(done: Done) => void} tell
 */

// useUndo returns what was done last, and what takes it back or does it again.
/** @param {string} project @param {<T>(send: () => Promise<T>) => Promise<T>} save */
function useUndo(project, save) {
  const [done, setDone] = useState(/** @type {Done | null} */ (null));
  const busy = useRef(false);
  /** @param {Done} next */
  const tell = (next) => {
    setDone(next);
    say(next.text);
  };
  /** @param {() => Promise<unknown>} go */
  async function once(go) {
    if (busy.current) return;
    busy.current = true;
    try {
      await go();
    } catch (error) {
      setDone(null);
      problem(error);
    } finally {
      busy.current = false;
    }
  }
  async function goBack() {
    const me = session.get().user?.id;
    const undone = await save(async () => {
      const last = (await changesOf(project)).find(
        (one) => one.actor_id === me && !one.undone && one.kind !== 'undo',
      );
      return last && { last, answer: await undo(last.id) };
    });
    if (!undone) return say('There is nothing to undo.');
    const { last, answer } = undone;
    const isSaid = done && !done.undid && (!done.id || done.id === last.id);
    tell({ text: `Undone: ${isSaid ? lower(done.text) : described(last)}`, undid: answer.change_id });
    return undefined;
  }
  return {
    done,
    tell,
    hide: () => setDone(null),
    // back takes back the latest change of the user that is not taken back.
    back: () => once(goBack),
    // again does what was taken back again.
    again: () =>
      once(async () => {
        if (!done?.undid) return;
        const id = done.undid;
        const answer = await save(() => undo(id));
        tell({ text: done.text.replace('Undone: ', 'Done again: '), id: answer.change_id });
      }),
  };
}

// quoteActs returns what changes the themes of quotes.
/** @param {Base} base */
function quoteActs({ themes, act, save, tell }) {
  /** @param {string | null} id */
  const theme = (id) => (id ? themes.get(id) : null);
  return {
    /** @param {string[]} ids @param {Theme | null} to @param {string} from */
    move: (ids, to, from) =>
      act(`Moved ${count(ids.length, 'quote')} to ${named(to)}.`, moved(ids, to?.id ?? null, from), () =>
        moveEvidence(ids, to?.id ?? null, from),
      ),
    // put gives quotes a theme that have none.
    /** @param {string[]} ids @param {Theme} to */
    put: (ids, to) =>
      act(`Moved ${count(ids.length, 'quote')} to ${named(to)}.`, moved(ids, to.id, to.id), () =>
        assign(ids, to.id),
      ),
    /** @param {string[]} ids @param {Theme} to */
    add: (ids, to) =>
      act(
        `${count(ids.length, 'quote')} also ${ids.length === 1 ? 'has' : 'have'} ${named(to)}.`,
        moved(ids, to.id, to.id),
        () => assign(ids, to.id),
      ),
    /** @param {string[]} ids @param {string} from */
    take: (ids, from) =>
      act(`Took ${count(ids.length, 'quote')} out of ${named(theme(from))}.`, moved(ids, null, from), () =>
        unassign(ids, from),
      ),
    // split makes a theme of quotes of another one, and returns its id. Its error is for the form.
    /** @param {string} from @param {string[]} ids @param {string} name */
    async split(from, ids, name) {
      const answer = await save(() => splitTheme(from, ids, name));
      tell({
        text: `Split ${count(ids.length, 'quote')} off ${named(theme(from))} as ${named({ name })}.`,
        id: answer.change_id,
      });
      return answer.theme_id;
    },
  };
}

// themeActs returns what changes themes themselves.
/** @param {Base} base */
function themeActs({ context, themes, suggested, act, change, save, tell }) {
  /** @param {string} id @param {Partial<Theme>} values */
  const patch = (id, values) => update('themes', { id: `eq.${id}` }, values, 'id');
  /** @param {Theme} of @param {Partial<Theme>} values @param {string} text */
  const edit = (of, values, text) => act(text, withTheme(of.id, values), () => patch(of.id, values));
  // said stores a change whose error is for the form in which it was asked for.
  /** @param {Theme} of @param {Partial<Theme>} values @param {string} text */
  async function said(of, values, text) {
    await save(() => patch(of.id, values));
    change(withTheme(of.id, values));
    tell({ text });
  }
  return {
    /** @param {string[]} from @param {Theme} into */
    merge: (from, into) =>
      act(
        `Merged ${from.length === 1 ? named(themes.get(from[0])) : count(from.length, 'theme')} into ` +
          `${named(into)}.`,
        merged(from, into.id),
        () => mergeThemes(from, into.id),
      ),
    /** @param {Theme} of @param {Theme | null} parent */
    nest: (of, parent) =>
      edit(
        of,
        { parent_id: parent?.id ?? null },
        parent ? `Nested ${named(of)} below ${named(parent)}.` : `${named(of)} stands by itself.`,
      ),
    // place moves a theme to the place of another one, on the side from which it comes.
    /** @param {Theme} of @param {Theme} at */
    place: (of, at) =>
      edit(
        of,
        { parent_id: at.parent_id, position: besides(themes, of, at) },
        `Moved ${named(of)} to the place of ${named(at)}.`,
      ),
    /** @param {Theme} of @param {Partial<Theme> & { name: string }} values */
    describe: (of, values) =>
      said(
        of,
        values,
        values.name === of.name ? `Changed ${named(of)}.` : `Renamed ${named(of)} to ${named(values)}.`,
      ),
    // accept makes a proposed theme one of the project's, with the quotes it is proposed with. Its error is
    // for the form.
    /** @param {Theme} of @param {string} [name] */
    async accept(of, name) {
      await save(async () => {
        if (suggested(of.id)) {
          const open = { theme_id: `eq.${of.id}`, review: 'eq.suggested' };
          await update('evidence_themes', open, { review: 'accepted' }, 'theme_id');
        }
        if (name && name !== of.name) await patch(of.id, { name, status: 'active' });
        else if (!suggested(of.id)) await patch(of.id, { status: 'active' });
      });
      change(accepted(of, name || of.name));
      tell({ text: `Accepted ${named({ name: name || of.name })}.` });
    },
    /** @param {Theme} of */
    dismiss: (of) => edit(of, { status: 'archived' }, `Dismissed ${named(of)}.`),
    /** @param {Theme} of */
    archive: (of) => edit(of, { status: 'archived' }, `Archived ${named(of)}.`),
    /** @param {Theme} of */
    restore: (of) => edit(of, { status: 'active' }, `Restored ${named(of)}.`),
    // create makes a theme, or finds the one of that name.
    /** @param {string} name */
    async create(name) {
      const made = await save(() => addTheme(context.id, name));
      change(having(made));
      tell({ text: `Theme ${named(made)}.` });
      return made;
    },
    // usable returns a theme that quotes can be put into: one that was archived comes back.
    /** @param {Theme} one */
    async usable(one) {
      const used = await save(() => inUse(one));
      change(having(used));
      return used;
    },
    /** @param {Theme} of @param {string} statement @param {Stance} stance */
    async hypothesis(of, statement, stance) {
      const made = await toHypothesis(of.id, statement, stance);
      context.reload();
      tell({
        text: `${named(of)} is a hypothesis.`,
        link: { href: `/projects/${context.id}/evidence?h=${made}`, text: 'Open it' },
      });
    },
  };
}
