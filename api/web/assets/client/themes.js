// Themes: what people say that quotes have in common, whether or not a hypothesis foresaw it.
import { call, insert, list, one, rpc, update } from './api.js';
import { ApiError, codeOf } from './http.js';
import { session } from './session.js';

const themeColumns =
  'id,project_id,parent_id,name,description,memo,color,origin,status,merged_into,position,created_at';

const linkColumns = 'evidence_id,theme_id,origin,review';

const MANY = 100; // ids in one address

// fold returns a name as themes are told apart by it: the database stores white space as single spaces.
/** @param {string} name */
export const fold = (name) =>
  name
    .trim()
    .replace(/[\s\u0085]+/g, ' ')
    .toLowerCase();

// themesOf returns the themes of a project with any status, by their positions.
/** @param {string} project @param {AbortSignal} [signal] */
export const themesOf = (project, signal) =>
  list('themes', { project_id: `eq.${project}`, select: themeColumns, order: 'position,id' }, { signal });

// landing returns the theme that a theme was merged into, or the theme itself.
/** @param {Theme} theme @param {Theme[]} themes */
export function landing(theme, themes) {
  const byId = new Map(themes.map((t) => [t.id, t]));
  const seen = new Set([theme.id]);
  let now = theme;
  while (now.merged_into && !seen.has(now.merged_into)) {
    const next = byId.get(now.merged_into);
    if (!next) break;
    seen.add(next.id);
    now = next;
  }
  return now;
}

// addTheme returns a new theme, or the one that has the name already: the one that it was merged into, and
// one that was archived comes back.
/** @param {string} project @param {string} name @param {string | null} [parent] @returns {Promise<Theme>} */
export async function addTheme(project, name, parent) {
  try {
    return await insert(
      'themes',
      { project_id: project, name: name.trim(), ...(parent && { parent_id: parent }) },
      themeColumns,
    );
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    const themes = await themesOf(project);
    const same = themes.find((t) => fold(t.name) === fold(name));
    if (!same)
      throw new ApiError(`A theme has the name “${name.trim()}” already. Choose another name.`, {
        status: 409,
        code: '23505',
      });
    return inUse(landing(same, themes));
  }
}

// inUse returns a theme after it came back, if it was archived.
/** @param {Theme} theme @returns {Promise<Theme>} */
export const inUse = async (theme) =>
  theme.status === 'archived'
    ? update('themes', { id: `eq.${theme.id}` }, { status: 'active' }, themeColumns)
    : theme;

/** @param {string[]} ids @returns {string[][]} */
const parts = (ids) =>
  Array.from({ length: Math.ceil(ids.length / MANY) }, (_, i) => ids.slice(i * MANY, (i + 1) * MANY));

/**
 * @param {string} method
 * @param {Record<string, string>} filter
 * @param {{ json?: unknown, prefer?: string }} [options]
 * @returns {Promise<ThemeLink[]>}
 */
const links = async (method, filter, { json, prefer = '' } = {}) =>
  (
    await call(`/rest/v1/evidence_themes?${new URLSearchParams({ ...filter, select: linkColumns })}`, {
      method,
      json,
      headers: { Prefer: `return=representation${prefer}` },
    })
  ).body ?? [];

/** @param {string[]} ids @param {string} theme */
const those = (ids, theme) => ({ evidence_id: `in.(${ids.join()})`, theme_id: `eq.${theme}` });

/** @param {string[]} ids @param {string} theme @returns {Promise<ThemeLink[]>} */
async function linked(ids, theme) {
  const found = [];
  for (const some of parts(ids)) found.push(...(await links('GET', those(some, theme))));
  return found;
}

// judge gives links the review that each is to have.
/** @param {ThemeLink[]} all */
async function judge(all) {
  for (const [review, same = []] of Object.entries(Object.groupBy(all, (l) => l.review)))
    for (const some of parts(same.map((l) => l.evidence_id)))
      await links('PATCH', those(some, same[0].theme_id), { json: { review } });
}

// assign puts quotes into a theme. It returns a function that takes that back.
/** @param {string[]} evidenceIds @param {string} themeId @returns {Promise<() => Promise<void>>} */
export async function assign(evidenceIds, themeId) {
  const added = await put(evidenceIds, themeId);
  const known = new Set(added.map((l) => l.evidence_id));
  const rest = evidenceIds.filter((id) => !known.has(id));
  // What was suggested or rejected is accepted by whoever puts the quote there.
  const open = rest.length > 0 ? (await linked(rest, themeId)).filter((l) => l.review !== 'accepted') : [];
  await judge(open.map((l) => ({ ...l, review: 'accepted' })));
  return async () => {
    await drop(
      added.map((l) => l.evidence_id),
      themeId,
    );
    await judge(open);
  };
}

/** @param {string[]} ids @param {string} theme @returns {Promise<ThemeLink[]>} */
const put = async (ids, theme) =>
  ids.length === 0
    ? []
    : links(
        'POST',
        { on_conflict: 'evidence_id,theme_id' },
        {
          json: ids.map((id) => ({ evidence_id: id, theme_id: theme })),
          prefer: ',resolution=ignore-duplicates',
        },
      );

/** @param {string[]} ids @param {string} theme */
async function drop(ids, theme) {
  for (const some of parts(ids)) await links('DELETE', those(some, theme));
}

// unassign takes quotes out of a theme. What was suggested is rejected, so that it is not suggested again. It
// returns a function that takes that back.
/** @param {string[]} evidenceIds @param {string} themeId @returns {Promise<() => Promise<void>>} */
export async function unassign(evidenceIds, themeId) {
  const before = (await linked(evidenceIds, themeId)).filter((l) => l.review !== 'rejected');
  const suggested = before.filter((l) => l.origin === 'ai');
  const own = before.filter((l) => l.origin !== 'ai').map((l) => l.evidence_id);
  if (own.length > 0) await moveEvidence(own, null, themeId);
  await judge(suggested.map((l) => ({ ...l, review: 'rejected' })));
  return async () => {
    await put(own, themeId);
    await judge(suggested);
  };
}

// highlight stores words of a transcript as a person's accepted quote about no hypothesis, with this id. If
// there is a quote of just these words already, which nobody rejected, it returns that.
/**
 * @param {string} project
 * @param {NewWords} words
 * @param {{ id: string, select: string }} as
 * @returns {Promise<Tables['evidence']>}
 */
export async function highlight(project, { importId, quote, byteStart, byteEnd }, { id, select }) {
  const there = await one('evidence', {
    import_id: `eq.${importId}`,
    byte_start: `eq.${byteStart}`,
    byte_end: `eq.${byteEnd}`,
    review: 'neq.rejected',
    select,
    order: 'created_at,id',
  });
  return (
    there ??
    insert(
      'evidence',
      {
        id,
        project_id: project,
        import_id: importId,
        quote,
        byte_start: byteStart,
        byte_end: byteEnd,
        review: 'accepted',
      },
      select,
    )
  );
}

// moveEvidence moves quotes to a theme, or to none, from another one or, without it, from all.
/** @param {string[]} evidence @param {string | null} theme @param {string} [from] */
export const moveEvidence = (evidence, theme, from) =>
  rpc('move_evidence', { evidence, theme, ...(from && { from }) });

/** @param {string[]} from @param {string} into */
export const mergeThemes = (from, into) => rpc('merge_themes', { from, into });

// splitTheme makes a new theme of some of the quotes of a theme.
/** @param {string} theme @param {string[]} evidence @param {string} name */
export const splitTheme = (theme, evidence, name) => rpc('split_theme', { theme, evidence, name });

// undo takes back a change of themes. Taking back what took something back does it again.
/** @param {string} id */
export const undo = (id) => rpc('undo_theme_change', { id });

// changesOf returns the latest changes of the themes of a project, the last one first.
/** @param {string} project @param {AbortSignal} [signal] */
export const changesOf = (project, signal) => rpc('theme_changes', { project }, { signal });

// traced runs send and returns the ids of the changes that the user made by it, the last one first.
/** @param {string} project @param {() => Promise<unknown>} send */
export async function traced(project, send) {
  const me = session.get().user?.id;
  const own = async () =>
    (await changesOf(project))
      .filter((change) => change.actor_id === me && change.kind !== 'undo')
      .map(({ id }) => id);
  const before = new Set(await own());
  await send();
  // What is stored is stored: without the ids it only has no Undo.
  const after = await own().catch(() => /** @type {string[]} */ ([]));
  return after.filter((id) => !before.has(id));
}

// toHypothesis makes a hypothesis of a theme, with its quotes, and returns its id.
/** @param {string} theme @param {string} statement @param {Stance} [stance] */
export const toHypothesis = (theme, statement, stance) =>
  rpc('theme_to_hypothesis', { theme, statement, ...(stance && { stance }) });
