// How many people of each group speak in each theme.
import { html, useEffect, useMemo, useRef } from '../../page/html.js';
import { everyone } from '../../client/people.js';
import { Choice } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { setQuery } from '../../page/router.js';
import { Empty, Waiting } from '../../page/ui.js';
import { count } from '../../page/words.js';
import { Table } from '../project/table.js';
import { byText, groupings, segmentsOf } from '../shared/groups.js';
import { familyOf } from './layout.js';

const FEW = 5; // from here on, a group says more than its members

/** @type {Person[]} */
const none = [];

/** @typedef {Map<string, Set<string>>} Said the ids of quotes, by the key of the person */
/** @typedef {{ theme: Theme, depth: number, said: Said }} Row */

// saidIn returns who says what in each theme.
/** @param {ThemesData} data */
function saidIn({ quotes, links }) {
  const own = /** @type {Map<string, Said>} */ (new Map());
  for (const { id, person, counts } of quotes) {
    if (!counts || !person) continue;
    for (const { theme_id: theme, review } of links.get(id) ?? [])
      if (review !== 'rejected')
        own.set(
          theme,
          (own.get(theme) ?? new Map()).set(person, (own.get(theme)?.get(person) ?? new Set()).add(id)),
        );
  }
  return own;
}

// rowsOf returns the active themes in the order of the board, with who speaks in them and in those below. A
// quote of a theme and of one below it is one quote.
/** @param {ThemesData} data @returns {Row[]} */
function rowsOf(data) {
  const own = saidIn(data);
  const { roots, below } = familyOf(data.themes);
  /** @param {Theme} theme @param {number} depth @returns {Row[]} */
  const rows = (theme, depth) => {
    const children = below(theme.id).map((child) => rows(child, depth + 1));
    const said = new Map(own.get(theme.id));
    for (const [child] of children)
      for (const [person, ids] of child.said)
        said.set(person, new Set([...(said.get(person) ?? []), ...ids]));
    return [{ theme, depth, said }, ...children.flat()];
  };
  return roots.flatMap((theme) => rows(theme, 0));
}

// Matrix is a table of themes by groups of people. A cell leads to its quotes on the board.
/** @param {{ context: Context, data: ThemesData, query: URLSearchParams }} props */
export function Matrix({ context, data, query }) {
  const loaded = useLoad(
    async (signal) => [...(await everyone(context.id, signal)).everybody.values()],
    [context.id],
  );
  // People come with their quotes. The table stays meanwhile.
  const known = useRef(data.quotes);
  useEffect(() => {
    if (known.current !== data.quotes) loaded.reload();
    known.current = data.quotes;
  }, [data.quotes]);
  const people = loaded.data ?? none;
  const ways = useMemo(() => groupings(people), [people]);
  const wanted = query.get('by') ?? 'persona';
  const by = ways.includes(wanted) ? wanted : 'persona';
  const rows = useMemo(() => rowsOf(data), [data]);
  const segments = useMemo(() => segmentsOf(people, by, context.personas), [people, by, context.personas]);
  if (!loaded.data)
    return html`
      <${Waiting} for=${loaded} />
    `;
  if (rows.length === 0 || people.length === 0)
    return html`
      <${Empty} title="Nothing to compare yet">
        <p>${rows.length === 0 ? 'There are no themes yet.' : 'No participant is known yet.'}</p>
      <//>
    `;
  return html`
    <section class="theme-matrix" aria-label="Themes by groups of people">
      <${Choice}
        label="Compare by"
        value=${by}
        options=${Object.fromEntries(ways.map((way) => [way, byText(way)]))}
        onChange=${(/** @type {string} */ way) => setQuery({ by: way })}
      />
      <p class="legend">
        People who speak in a theme, and in those below it, of all people of the group. ⚠ few people: the
        group has fewer than ${FEW}.
      </p>
      <${Table}
        corner="Theme"
        heads=${[{ group: '', name: 'Everybody', members: null }, ...segments].map(
          ({ group, name, members }) => html`
            <th key=${group} scope="col">
              <span dir="auto">${name}</span>
              <small>${count(members?.size ?? people.length, 'person', 'people')}</small>
              ${
                members &&
                members.size < FEW &&
                html`
                  <small class="few">⚠ few people</small>
                `
              }
            </th>
          `,
        )}
        rows=${rows}
        row=${(/** @type {Row} */ row) => html`
          <${Line} key=${row.theme.id} ...${{ context, row, segments }} total=${people.length} />
        `}
      />
    </section>
  `;
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Row} props.row
 * @param {import('../shared/groups.js').Segment[]} props.segments
 * @param {number} props.total
 */
function Line({ context, row: { theme, depth, said }, segments, total }) {
  /** @param {Set<string> | null} members */
  const of = (members) => {
    const those = [...said].filter(([person]) => !members || members.has(person));
    return { people: those.length, quotes: those.reduce((sum, [, ids]) => sum + ids.size, 0) };
  };
  const address = `/projects/${context.id}/themes?`;
  return html`
    <tr>
      <th scope="row" style=${{ '--depth': depth }}>
        <i class="theme-dot" style=${{ '--theme': theme.color }} aria-hidden="true"></i>
        <a href=${address + new URLSearchParams({ at: theme.id })} dir="auto">${theme.name}</a>
      </th>
      <${Cell}
        ...${of(null)}
        total=${total}
        name="Everybody"
        href=${address + new URLSearchParams({ at: theme.id })}
      />
      ${segments.map(
        ({ group, name, members }) => html`
          <${Cell}
            key=${group}
            ...${of(members)}
            total=${members.size}
            name=${name}
            href=${address + new URLSearchParams({ at: theme.id, group })}
          />
        `,
      )}
    </tr>
  `;
}

/** @param {string} name @param {number} people @param {number} total @param {number} quotes */
const cellText = (name, people, total, quotes) =>
  `${name}: ${people} of ${count(total, 'person', 'people')}, ${count(quotes, 'quote')}`;

/** @param {{ people: number, quotes: number, total: number, name: string, href: string }} props */
const Cell = ({ people, quotes, total, name, href }) =>
  people === 0
    ? html`
        <td><span class="none" aria-label="nobody">–</span></td>
      `
    : html`
        <td style=${{ '--share': people / Math.max(1, total) }}>
          <a href=${href} aria-label=${cellText(name, people, total, quotes)}>
            <b>${people}</b>
            ${` of ${total}`}
          </a>
          <small>${count(quotes, 'quote')}</small>
        </td>
      `;
