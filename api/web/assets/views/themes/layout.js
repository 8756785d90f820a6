// The columns of the board of themes: which quotes they have, in which order, and how many people say them.

// loose is the column of the quotes without a theme.
export const loose = 'none';

// Items are what the keys move between: themes by their ids, and quotes by theme and quote, since a quote may
// have several themes.
/** @param {string} theme @param {string} quote */
export const itemOf = (theme, quote) => `${theme}/${quote}`;
/** @param {string} item */
export const themeIn = (item) => item.split('/', 1)[0];
/** @param {string} item @returns {string} '' if the item is a theme */
export const quoteIn = (item) => item.split('/')[1] ?? '';

// placesOf returns the columns that have a quote: its active themes, or else loose. A quote that is only
// proposed for a theme has no column until somebody accepts or dismisses the proposal.
/** @param {ThemeLink[] | undefined} links @param {Map<string, Theme>} themes */
function placesOf(links = [], themes) {
  const counting = links.filter(({ review }) => review !== 'rejected');
  const of = (/** @type {Theme['status']} */ status) =>
    counting.filter(({ theme_id: id }) => themes.get(id)?.status === status).map(({ theme_id: id }) => id);
  const active = of('active');
  if (active.length > 0) return active;
  return of('proposed').length > 0 ? [] : [loose];
}

/** @param {Theme} a @param {Theme} b */
const inOrder = (a, b) => a.position - b.position || a.name.localeCompare(b.name);

// familyOf returns the active themes without a parent, and those below each theme.
/** @param {Map<string, Theme>} themes */
export function familyOf(themes) {
  const active = [...themes.values()].filter(({ status }) => status === 'active').sort(inOrder);
  /** @param {Theme} theme */
  const parentOf = ({ parent_id: id }) => (id && themes.get(id)?.status === 'active' ? id : null);
  const below = Map.groupBy(active, (theme) => parentOf(theme) ?? '');
  return { roots: below.get('') ?? [], below: (/** @type {string} */ id) => below.get(id) ?? [] };
}

/** @param {Themed[]} quotes */
const speakersOf = (quotes) => new Set(quotes.flatMap(({ counts, person }) => (counts && person) || []));

// layoutOf returns the columns with the quotes that keep() keeps, the loose one first. A theme below another
// follows its quotes in the same column.
/**
 * @param {ThemesData} data
 * @param {(quote: Themed, places: string[]) => boolean} keep
 * @returns {ThemeLayout}
 */
export function layoutOf({ themes, quotes, links }, keep) {
  /** @type {Map<string, Themed[]>} */
  const of = new Map();
  for (const quote of quotes) {
    const places = placesOf(links.get(quote.id), themes);
    if (!keep(quote, places)) continue;
    for (const place of places) {
      const there = of.get(place);
      if (there) there.push(quote);
      else of.set(place, [quote]);
    }
  }
  const { roots, below } = familyOf(themes);
  /** @type {ThemeLayout} */
  const layout = { columns: [], columnOf: new Map(), heads: new Map() };
  // put adds a theme and those below it to a column, and returns who speaks in them.
  /** @param {ThemeColumn} column @param {Theme | null} theme @param {number} depth @returns {Said} */
  const put = (column, theme, depth) => {
    const id = theme?.id ?? loose;
    const own = of.get(id) ?? [];
    if (depth > 0) column.items.push(id);
    for (const quote of own) column.items.push(itemOf(id, quote.id));
    layout.columnOf.set(id, column);
    const people = speakersOf(own);
    const all = { people: new Set(people), quotes: new Set(own) };
    const children = theme ? below(theme.id) : [];
    /** @type {ThemeHead} */
    const head = { id, theme, depth, people: people.size, quotes: own.length, all: null };
    layout.heads.set(id, head);
    for (const child of children) {
      const said = put(column, child, depth + 1);
      for (const one of said.people) all.people.add(one);
      for (const one of said.quotes) all.quotes.add(one);
    }
    if (children.length > 0) head.all = { people: all.people.size, quotes: all.quotes.size };
    return all;
  };
  for (const theme of [null, ...roots]) {
    const column = { id: theme?.id ?? loose, items: [] };
    layout.columns.push(column);
    put(column, theme, 0);
  }
  return layout;
}

/** @typedef {{ people: Set<string>, quotes: Set<Themed> }} Said */
