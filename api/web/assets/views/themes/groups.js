// How changes of themes look at once, before the server has stored them.

/** @typedef {import('./data.js').Groups} Groups */
/** @typedef {(groups: Groups) => Groups} Change */

// moved returns groups in which quotes have a theme, or none, and no longer the one they had, or none at all.
/** @param {string[]} ids @param {string | null} to @param {string} [from] @returns {Change} */
export const moved = (ids, to, from) => (groups) => {
  const those = new Set(ids);
  /** @param {ThemeLink} l */
  const stays = (l) =>
    !those.has(l.evidence_id) ||
    (l.theme_id !== to && (l.review === 'rejected' || (from !== undefined && l.theme_id !== from)));
  const added = to ? ids.map((id) => link(id, to)) : [];
  return { ...groups, links: [...groups.links.filter(stays), ...added] };
};

/** @param {string} quote @param {string} theme @returns {ThemeLink} */
const link = (quote, theme) => ({
  evidence_id: quote,
  theme_id: theme,
  origin: 'human',
  review: 'accepted',
});

/** @param {string} id @param {Partial<Theme>} values @returns {Change} */
export const withTheme = (id, values) => (groups) => ({
  ...groups,
  themes: groups.themes.map((theme) => (theme.id === id ? { ...theme, ...values } : theme)),
});

/** @param {Theme} theme @returns {Change} */
export const having = (theme) => (groups) => ({
  ...groups,
  themes: [...groups.themes.filter(({ id }) => id !== theme.id), theme],
});

// accepted returns groups in which a proposed theme is in use, with the quotes it was proposed with.
/** @param {Theme} theme @param {string} name @returns {Change} */
export const accepted = (theme, name) => (groups) => ({
  themes: withTheme(theme.id, { status: 'active', name })(groups).themes,
  links: groups.links.map((l) =>
    l.theme_id === theme.id && l.review === 'suggested' ? { ...l, review: 'accepted' } : l,
  ),
});

// merged returns groups in which themes are part of another one.
/** @param {string[]} from @param {string} into @returns {Change} */
export const merged = (from, into) => (groups) => {
  const those = new Set(from);
  const seen = new Set();
  /** @param {Theme} theme @returns {Theme} */
  const after = (theme) => {
    if (those.has(theme.id)) return { ...theme, status: 'archived', merged_into: into };
    const isBelow = theme.parent_id && those.has(theme.parent_id) && theme.id !== into;
    return isBelow ? { ...theme, parent_id: into } : theme;
  };
  return {
    themes: groups.themes.map(after),
    links: groups.links
      .map((l) => (those.has(l.theme_id) ? { ...l, theme_id: into } : l))
      .filter((l) => {
        const key = `${l.evidence_id} ${l.theme_id}`;
        return !seen.has(key) && seen.add(key);
      }),
  };
};

// besides returns a position next to another theme, beyond it as seen from where a theme is now.
/** @param {Map<string, Theme>} themes @param {Theme} of @param {Theme} at */
export function besides(themes, of, at) {
  const row = [...themes.values()]
    .filter((t) => t.status === 'active' && t.parent_id === at.parent_id && t.id !== of.id)
    .sort((a, b) => a.position - b.position);
  const i = row.findIndex(({ id }) => id === at.id);
  const back = of.position > at.position;
  const next = row[back ? i - 1 : i + 1];
  return next ? (at.position + next.position) / 2 : at.position + (back ? -1 : 1);
}
