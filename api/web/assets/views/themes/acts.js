// What changes themes and their quotes. Each change is shown at once, stored, and can be taken back.
import { useRef, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { session } from '../../client/session.js';
import {
  addTheme,
  changesOf,
  inUse,
  mergeThemes,
  moveEvidence,
  splitTheme,
  toHypothesis,
  traced,
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
 * @property {string[]} [ids] of its changes, the last one first; without them there is nothing to undo
 * @property {string[]} [undid] the changes that took back what is said, the last one first
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
  // act shows a change, stores it and says so. send returns the ids of its changes.
  /**
   * @param {string} text
   * @param {import('./groups.js').Change} shown
   * @param {() => Promise<string[]>} send
   */
  async function act(text, shown, send) {
    change(shown);
    try {
      await save(async () => tell({ text, ids: await send() }));
      return true;
    } catch (error) {
      undoing.hide(); // a part may be stored
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
 * @property {(text: string, shown: import('./groups.js').Change, send: () => Promise<string[]>) =>
 *   Promise<boolean>} act
 * @property {(done: Done) => void} tell
 */

// idsOf returns the ids of changes that the server named, the last one first.
/** @param {(Partial<ThemeChanged> | null)[]} answers */
const idsOf = (answers) => answers.flatMap((answer) => answer?.change_id ?? []).reverse();

const TOLD = 50; // acts that are known by what they did, as many as the server lists changes

// useUndo returns what was done last, and what takes it back or does it again.
/** @param {string} project @param {<T>(send: () => Promise<T>) => Promise<T>} save */
function useUndo(project, save) {
  const [done, setDone] = useState(/** @type {Done | null} */ (null));
  const last = useRef(/** @type {Done | null} */ (null)); // keys can be pressed before it is drawn
  const told = useRef(/** @type {Done[]} */ ([]));
  /** @param {Done | null} next */
  function set(next) {
    last.current = next;
    setDone(next);
  }
  /** @param {Done} next */
  function tell(next) {
    if (next.ids?.length) told.current = [...told.current, next].slice(-TOLD);
    set(next);
    say(next.text);
  }
  // latest returns the latest act of the user that is not taken back.
  /** @returns {Promise<Done | null>} */
  async function latest() {
    const me = session.get().user?.id;
    const change = (await changesOf(project)).find(
      (one) => one.actor_id === me && !one.undone && one.kind !== 'undo',
    );
    if (!change) return null;
    const known = told.current.find(({ ids }) => ids?.[0] === change.id);
    return known ?? { text: described(change), ids: [change.id] };
  }
  /** @param {string[]} ids */
  async function undoAll(ids) {
    const answers = [];
    for (const id of ids) answers.push(await undo(id));
    return idsOf(answers);
  }
  // stored runs go after what is being stored: one press after the other.
  /** @param {() => Promise<void>} go */
  const stored = (go) =>
    save(go).catch((error) => {
      set(null);
      problem(error);
    });
  return {
    done,
    tell,
    hide: () => set(null),
    // back takes back what is said, or else the latest act of the user that is not taken back.
    back: () =>
      stored(async () => {
        const act = last.current?.ids?.length ? last.current : await latest();
        if (!act?.ids) return say('There is nothing to undo.');
        tell({ text: `Undone: ${lower(act.text)}`, undid: await undoAll(act.ids) });
        return undefined;
      }),
    // again does what was taken back again.
    again: () =>
      stored(async () => {
        const act = last.current;
        if (!act?.undid) return;
        const text = act.text.replace('Undone: ', 'Done again: ');
        tell({ text, ids: await undoAll(act.undid) });
      }),
  };
}

/** @typedef {[from: string, ids: string[]]} Part quotes of a theme */

/** @param {Part[]} parts */
const quotesIn = (parts) => count(new Set(parts.flatMap(([, ids]) => ids)).size, 'quote');

// movedAll shows quotes of several themes in one, or in none.
/** @param {Part[]} parts @param {string | null} to @returns {import('./groups.js').Change} */
const movedAll = (parts, to) => (groups) =>
  parts.reduce((now, [from, ids]) => moved(ids, to, from)(now), groups);

// quoteActs returns what changes the themes of quotes.
/** @param {Base} base */
function quoteActs({ context, themes, act, save, tell }) {
  // give gives quotes a theme beside those that they have.
  /** @param {string[]} ids @param {Theme} to */
  const give = async (ids, to) => idsOf([await moveEvidence(ids, to.id, to.id)]);
  // takeAll rejects what was suggested, so that it is not suggested again.
  /** @param {Part[]} parts */
  const takeAll = (parts) =>
    traced(context.id, async () => {
      for (const [from, ids] of parts) await unassign(ids, from);
    });
  return {
    // move moves quotes out of their themes into another one, or into none. Those that stay where they are,
    // or have no theme, are only put into it.
    /** @param {Part[]} parts @param {Theme | null} to */
    move: (parts, to) =>
      act(
        `Moved ${quotesIn(parts)} to ${named(to)}.`,
        movedAll(
          parts.map(([from, ids]) => [themes.has(from) ? from : (to?.id ?? from), ids]),
          to?.id ?? null,
        ),
        async () => {
          if (!to) return takeAll(parts.filter(([from]) => themes.has(from)));
          const answers = [];
          for (const [from, ids] of parts)
            answers.push(await moveEvidence(ids, to.id, themes.has(from) ? from : to.id));
          return idsOf(answers);
        },
      ),
    /** @param {string[]} ids @param {Theme} to */
    add: (ids, to) =>
      act(
        `${count(ids.length, 'quote')} also ${ids.length === 1 ? 'has' : 'have'} ${named(to)}.`,
        moved(ids, to.id, to.id),
        () => give(ids, to),
      ),
    /** @param {Part[]} parts */
    take: (parts) =>
      act(
        `Took ${quotesIn(parts)} out of ${parts.length === 1 ? named(themes.get(parts[0][0])) : 'themes'}.`,
        movedAll(parts, null),
        () => takeAll(parts),
      ),
    // split makes a theme of quotes of another one, and returns its id. Its error is for the form.
    /** @param {string} from @param {string[]} ids @param {string} name */
    split: (from, ids, name) =>
      save(async () => {
        const answer = await splitTheme(from, ids, name);
        tell({
          text: `Split ${count(ids.length, 'quote')} off ${named(themes.get(from))} as ${named({ name })}.`,
          ids: idsOf([answer]),
        });
        return answer.theme_id;
      }),
  };
}

// themeActs returns what changes themes themselves.
/** @param {Base} base */
function themeActs({ context, themes, suggested, act, change, save, tell }) {
  /** @param {string} id @param {Partial<Theme>} values */
  const patch = (id, values) => update('themes', { id: `eq.${id}` }, values, 'id');
  /** @param {Theme} of @param {Partial<Theme>} values @param {string} text */
  const edit = (of, values, text) =>
    act(text, withTheme(of.id, values), () => traced(context.id, () => patch(of.id, values)));
  // said stores a change whose error is for the form in which it was asked for.
  /** @param {Theme} of @param {Partial<Theme>} values @param {string} text */
  async function said(of, values, text) {
    await save(async () => tell({ text, ids: await traced(context.id, () => patch(of.id, values)) }));
    change(withTheme(of.id, values));
  }
  return {
    /** @param {string[]} from @param {Theme} into */
    merge: (from, into) =>
      act(
        `Merged ${from.length === 1 ? named(themes.get(from[0])) : count(from.length, 'theme')} into ` +
          `${named(into)}.`,
        merged(from, into.id),
        async () => idsOf([await mergeThemes(from, into.id)]),
      ),
    /** @param {Theme} of @param {Theme | null} parent */
    nest: (of, parent) =>
      edit(
        of,
        { parent_id: parent?.id ?? null },
        parent ? `Nested ${named(of)} below ${named(parent)}.` : `${named(of)} is no longer nested.`,
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
      const open = { theme_id: `eq.${of.id}`, review: 'eq.suggested' };
      // The name comes first: if it is taken, nothing is accepted.
      const send = async () => {
        await patch(of.id, { status: 'active', ...(name && { name }) });
        if (suggested(of.id)) await update('evidence_themes', open, { review: 'accepted' }, 'theme_id');
      };
      const text = `Accepted ${named({ name: name || of.name })}.`;
      await save(async () => tell({ text, ids: await traced(context.id, send) }));
      change(accepted(of, name || of.name));
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
      const { made, isNew } = await save(async () => {
        const adding = { made: /** @type {Theme | null} */ (null) };
        const ids = await traced(context.id, async () => {
          adding.made = await addTheme(context.id, name);
        });
        const made = /** @type {Theme} */ (adding.made);
        const was = themes.get(made.id)?.status;
        /** @type {Partial<Record<Theme['status'], string>>} */
        const what = { active: `There is ${named(made)} already.`, archived: `Restored ${named(made)}.` };
        tell({ text: (was && what[was]) || `Added ${named(made)}.`, ids });
        return { made, isNew: was !== made.status };
      });
      if (isNew) change(having(made));
      return made;
    },
    // usable returns a theme that quotes can be put into: one that was archived comes back.
    /** @param {Theme} one */
    async usable(one) {
      if (one.status !== 'archived') return one;
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
