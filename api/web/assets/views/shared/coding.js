// Puts quotes into themes, and takes them out, with a message that undoes it.
import { insertAll, list, remove } from '../../client/api.js';
import { addTheme, assign, highlight, inUse, unassign } from '../../client/themes.js';
import { problem, toast } from '../../page/messages.js';
import { count, isolated } from '../../page/words.js';
import { linkedColumns } from './evidencecolumns.js';
import { newId } from './ids.js';
import { linksOf } from './themes.js';

/** @typedef {ReturnType<typeof import('./themes.js').useThemes>} Themes */
/** @typedef {{ theme: Theme } | { name: string }} Wanted a theme, or the name of a new one */
/** @typedef {(links: QuoteTheme[]) => void} ShowLinks */

/** @param {string} theme @returns {QuoteTheme} */
const link = (theme) => ({ theme_id: theme, origin: 'human', review: 'accepted' });

/** @param {string} name */
const quoted = (name) => `“${isolated(name)}”`;

// themeFor returns the theme that is wanted, and a function that removes it again if it was made for this and
// has no quotes.
/** @param {string} project @param {Wanted} wanted @param {Themes} themes */
async function themeFor(project, wanted, themes) {
  const theme = 'theme' in wanted ? await inUse(wanted.theme) : await addTheme(project, wanted.name);
  const made = themes.isNew(theme.id);
  themes.put(theme);
  return {
    theme,
    async unmake() {
      if (!made) return;
      const of = { theme_id: `eq.${theme.id}`, select: 'evidence_id', order: 'evidence_id' };
      if ((await list('evidence_themes', of)).length > 0) return;
      await remove('themes', { id: `eq.${theme.id}` });
      themes.drop(theme.id);
    },
  };
}

// What the themes of quotes became here: a view may not have drawn the first of two that are given quickly.
/** @type {WeakMap<QuoteTheme[], QuoteTheme[]>} */
const became = new WeakMap();

// changing returns a function that shows the themes of a quote with a change to what they are by then.
/** @param {{ evidence_themes?: QuoteTheme[] }} e @param {ShowLinks} show */
function changing({ evidence_themes: links = [] }, show) {
  let now = links;
  /** @param {string} theme @param {QuoteTheme | undefined} to its link, if it is to have one */
  return (theme, to) => {
    for (let next = became.get(now); next; next = became.get(now)) now = next;
    const next = [...now.filter((l) => l.theme_id !== theme), ...(to ? [to] : [])];
    became.set(now, next);
    show((now = next));
  };
}

/** @param {{ evidence_themes?: QuoteTheme[] }} e @param {string} theme */
const linkIn = (e, theme) => e.evidence_themes?.find((l) => l.theme_id === theme);

// unwind takes back what was done before something failed, in this order. What cannot be taken back stays.
/** @param {(undefined | (() => Promise<unknown>))[]} undos */
async function unwind(undos) {
  for (const undo of undos) await undo?.().catch(() => {});
}

// both waits for two things, also if one fails. done gets each that succeeded.
/**
 * @template A, B
 * @param {Promise<A>} first
 * @param {Promise<B>} second
 * @param {{ first?: (a: A) => void, second?: (b: B) => void }} done
 * @returns {Promise<[A, B]>}
 */
async function both(first, second, done) {
  const all = [first.then(done.first), second.then(done.second)];
  await Promise.allSettled(all);
  await Promise.all(all);
  return Promise.all([first, second]);
}

// giveTheme puts a quote into a theme, which may be a new one. show shows the themes of the quote.
/**
 * @param {{ id: string, project_id: string, evidence_themes?: QuoteTheme[] }} e
 * @param {Wanted} wanted
 * @param {Themes} themes
 * @param {ShowLinks} show
 */
export async function giveTheme(e, wanted, themes, show) {
  const change = changing(e, show);
  let id = 'theme' in wanted ? wanted.theme.id : '';
  let unmake;
  const back = () => id && change(id, linkIn(e, id));
  if (id) change(id, link(id));
  try {
    const made = await themeFor(e.project_id, wanted, themes);
    const { theme } = made;
    unmake = made.unmake;
    id = theme.id;
    change(id, link(id));
    const takeBack = await assign([e.id], id);
    toast(`The quote is in ${quoted(theme.name)}.`, {
      about: ['themes'], // one message at a time, while many quotes are coded
      undo: () => {
        back();
        takeBack().then(made.unmake).catch(problem);
      },
    });
  } catch (error) {
    back();
    problem(error);
    await unwind([unmake]);
  }
}

// takeTheme takes a quote out of a theme.
/**
 * @param {{ id: string, evidence_themes?: QuoteTheme[] }} e
 * @param {Theme} theme
 * @param {ShowLinks} show
 */
export async function takeTheme(e, theme, show) {
  const change = changing(e, show);
  const back = () => change(theme.id, linkIn(e, theme.id));
  change(theme.id, undefined);
  try {
    const takeBack = await unassign([e.id], theme.id);
    toast(`The quote is no longer in ${quoted(theme.name)}.`, {
      about: ['themes'], // one message at a time, while many quotes are coded
      undo: () => {
        back();
        takeBack().catch(problem);
      },
    });
  } catch (error) {
    back();
    problem(error);
  }
}

// codeWords makes words of a transcript a quote of a theme, which may be a new one. It returns the quote,
// which may have been there before, or undefined if that failed. onTaken shows that the quote is gone again,
// or what themes it had before.
/**
 * @param {string} project
 * @param {NewWords} words
 * @param {Wanted} wanted
 * @param {Themes} themes
 * @param {(id: string, links: QuoteTheme[] | null) => void} onTaken
 * @returns {Promise<LinkedEvidence | undefined>}
 */
export async function codeWords(project, words, wanted, themes, onTaken) {
  const id = newId();
  const unquote = () => remove('evidence', { id: `eq.${id}` });
  let fresh = false;
  /** @type {(() => Promise<void>) | undefined} */
  let unmake;
  try {
    const [e, made] = await both(
      highlight(project, words, { id, select: linkedColumns }),
      themeFor(project, wanted, themes),
      { first: (quote) => (fresh = quote.id === id), second: (theme) => (unmake = theme.unmake) },
    );
    const { theme } = made;
    const before = fresh ? [] : (e.evidence_themes ?? []);
    const takeBack = await assign([e.id], theme.id);
    toast(`Quoted for ${quoted(theme.name)}, word for word from the transcript.`, {
      about: ['themes'], // one message at a time, while many quotes are coded
      undo: () => {
        onTaken(e.id, fresh ? null : before);
        (fresh ? unquote() : takeBack()).then(made.unmake).catch(problem);
      },
    });
    return {
      ...e,
      evidence_hypotheses: e.evidence_hypotheses ?? [],
      evidence_themes: [...before.filter((l) => l.theme_id !== theme.id), link(theme.id)],
    };
  } catch (error) {
    problem(error);
    await unwind([fresh ? unquote : undefined, unmake]);
    return undefined;
  }
}

/**
 * @typedef {object} Collected quotes that get a theme together
 * @property {import('./collecting.js').NewQuote[]} fresh words of transcripts that become quotes
 * @property {string[]} existing the ids of quotes
 */

// placed returns those of the new quotes that are quotes already, with their ids.
/** @param {import('./collecting.js').NewQuote[]} fresh */
async function placed(fresh) {
  if (fresh.length === 0) return [];
  /** @param {(string | number)[]} values */
  const among = (values) => `in.(${[...new Set(values)].join()})`;
  const there = await list('evidence', {
    import_id: among(fresh.map((q) => q.import_id)),
    byte_start: among(fresh.map((q) => q.byte_start)),
    review: 'neq.rejected',
    select: 'id,import_id,byte_start,byte_end',
    order: 'created_at,id',
  });
  return fresh.flatMap((q) => {
    const same = there.find(
      (e) => e.import_id === q.import_id && e.byte_start === q.byte_start && e.byte_end === q.byte_end,
    );
    return same ? [{ quote: q, id: same.id }] : [];
  });
}

// codeAll puts quotes, which may be new ones, into a theme, which may be a new one. show gets the theme, and
// the ids that new quotes have now; hide shows that it was undone.
/**
 * @param {string} project
 * @param {Collected} of
 * @param {Wanted} wanted
 * @param {Themes} themes
 * @param {{ show: (theme: Theme, ids: Map<string, string>) => void, hide: () => void }} on
 */
export async function codeAll(project, { fresh, existing }, wanted, themes, { show, hide }) {
  /** @type {string[]} */
  let made = []; // the ids of new quotes
  const unquote = async () => {
    if (made.length > 0) await remove('evidence', { id: `in.(${made.join()})` });
  };
  /** @type {(() => Promise<void>) | undefined} */
  let unmake;
  try {
    const [known, { theme }] = await both(placed(fresh), themeFor(project, wanted, themes), {
      second: (there) => (unmake = there.unmake),
    });
    const ids = new Map(known.map(({ quote, id }) => [quote.id, id]));
    const rows = fresh.filter((q) => !ids.has(q.id));
    if (rows.length > 0)
      await insertAll(
        'evidence',
        rows.map((q) => ({ ...q, project_id: project, review: 'accepted' })),
        'id',
      );
    made = rows.map((q) => q.id);
    const all = [...existing, ...fresh.map((q) => ids.get(q.id) ?? q.id)];
    const takeBack = await assign(all, theme.id);
    show(theme, new Map(fresh.map((q) => [q.id, ids.get(q.id) ?? q.id])));
    toast(
      all.length === 1
        ? `The quote is in ${quoted(theme.name)}.`
        : `${count(all.length, 'quote')} are in ${quoted(theme.name)}.`,
      {
        about: ['themes'],
        undo: () => {
          hide();
          takeBack().then(unquote).then(unmake).catch(problem);
        },
      },
    );
  } catch (error) {
    problem(error);
    await unwind([unquote, unmake]);
  }
}

// chosenOf returns the ids of the themes of a quote.
/** @param {{ evidence_themes?: QuoteTheme[] }} e */
export const chosenOf = (e) => new Set(linksOf(e).map((l) => l.theme_id));
