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

// giveTheme puts a quote into a theme, which may be a new one. show shows the themes of the quote.
/**
 * @param {{ id: string, project_id: string, evidence_themes?: QuoteTheme[] }} e
 * @param {Wanted} wanted
 * @param {Themes} themes
 * @param {ShowLinks} show
 */
export async function giveTheme(e, wanted, themes, show) {
  const before = e.evidence_themes ?? [];
  /** @param {string} id */
  const withTheme = (id) => [...before.filter((l) => l.theme_id !== id), link(id)];
  if ('theme' in wanted) show(withTheme(wanted.theme.id));
  try {
    const { theme, unmake } = await themeFor(e.project_id, wanted, themes);
    show(withTheme(theme.id));
    const takeBack = await assign([e.id], theme.id);
    toast(`The quote is in ${quoted(theme.name)}.`, {
      about: ['themes'], // one message at a time, while many quotes are coded
      undo: () => {
        show(before);
        takeBack().then(unmake).catch(problem);
      },
    });
  } catch (error) {
    show(before);
    problem(error);
  }
}

// takeTheme takes a quote out of a theme.
/**
 * @param {{ id: string, evidence_themes?: QuoteTheme[] }} e
 * @param {Theme} theme
 * @param {ShowLinks} show
 */
export async function takeTheme(e, theme, show) {
  const before = e.evidence_themes ?? [];
  show(before.filter((l) => l.theme_id !== theme.id));
  try {
    const takeBack = await unassign([e.id], theme.id);
    toast(`The quote is no longer in ${quoted(theme.name)}.`, {
      about: ['themes'], // one message at a time, while many quotes are coded
      undo: () => {
        show(before);
        takeBack().catch(problem);
      },
    });
  } catch (error) {
    show(before);
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
  let unmake = async () => {};
  try {
    const [e, made] = await Promise.all([
      highlight(project, words, { id, select: linkedColumns }),
      themeFor(project, wanted, themes),
    ]);
    unmake = made.unmake;
    const { theme } = made;
    const fresh = e.id === id;
    const before = fresh ? [] : (e.evidence_themes ?? []);
    const takeBack = await assign([e.id], theme.id).catch(async (error) => {
      if (fresh) await remove('evidence', { id: `eq.${id}` }).catch(() => {});
      throw error;
    });
    toast(`Quoted for ${quoted(theme.name)}, word for word from the transcript.`, {
      about: ['themes'], // one message at a time, while many quotes are coded
      undo: () => {
        onTaken(e.id, fresh ? null : before);
        (fresh ? remove('evidence', { id: `eq.${id}` }) : takeBack()).then(made.unmake).catch(problem);
      },
    });
    return {
      ...e,
      evidence_hypotheses: e.evidence_hypotheses ?? [],
      evidence_themes: [...before.filter((l) => l.theme_id !== theme.id), link(theme.id)],
    };
  } catch (error) {
    problem(error);
    unmake().catch(() => {});
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
  try {
    const [known, { theme, unmake }] = await Promise.all([placed(fresh), themeFor(project, wanted, themes)]);
    const ids = new Map(known.map(({ quote, id }) => [quote.id, id]));
    const rows = fresh.filter((q) => !ids.has(q.id));
    const made = rows.map((q) => q.id);
    const unquote = async () => {
      if (made.length > 0) await remove('evidence', { id: `in.(${made.join()})` });
    };
    if (rows.length > 0)
      await insertAll(
        'evidence',
        rows.map((q) => ({ ...q, project_id: project, review: 'accepted' })),
        'id',
      );
    const all = [...existing, ...fresh.map((q) => ids.get(q.id) ?? q.id)];
    const takeBack = await assign(all, theme.id).catch(async (error) => {
      await unquote().catch(() => {});
      throw error;
    });
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
  }
}

// chosenOf returns the ids of the themes of a quote.
/** @param {{ evidence_themes?: QuoteTheme[] }} e */
export const chosenOf = (e) => new Set(linksOf(e).map((l) => l.theme_id));
