// How many people of each group speak in each theme.
import { html, useMemo } from '../../page/html.js';
import { list } from '../../client/api.js';
import { everyone, keyOf } from '../../client/people.js';
import { Choice } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { setQuery } from '../../page/router.js';
import { Empty, Waiting } from '../../page/ui.js';
import { count } from '../../page/words.js';
import { Table } from '../project/table.js';
import { byText, groupings, segmentsOf } from '../shared/groups.js';
import { familyOf } from './layout.js';

const FEW = 5; // from here on, a group says more than its members

/** @typedef {Map<string, number>} Said quotes, by the key of the person */
/** @typedef {{ theme: Theme, depth: number, said: Said }} Row */

// rowsOf returns the active themes in the order of the board, with who speaks in them and in those below.
/** @param {Map<string, Theme>} themes @param {Map<string, Said>} own @returns {Row[]} */
function rowsOf(themes, own) {
  const { roots, below } = familyOf(themes);
  /** @param {Theme} theme @param {number} depth @returns {Row[]} */
  const rows = (theme, depth) => {
    const children = below(theme.id).map((child) => rows(child, depth + 1));
    const said = new Map(own.get(theme.id));
    for (const [child] of children)
      for (const [person, n] of child.said) said.set(person, (said.get(person) ?? 0) + n);
    return [{ theme, depth, said }, ...children.flat()];
  };
  return roots.flatMap((theme) => rows(theme, 0));
}

// Matrix is a table of themes by groups of people. A cell leads to its quotes on the board.
/** @param {{ context: Context, data: ThemesData, query: URLSearchParams }} props */
export function Matrix({ context, data, query }) {
  const loaded = useLoad(
    async (signal) => {
      const [said, who] = await Promise.all([
        list(
          'theme_participants',
          {
            project_id: `eq.${context.id}`,
            select: 'theme_id,participant_id,import_id,name,quotes',
            order: 'theme_id,participant_id,import_id,name',
          },
          { signal },
        ),
        everyone(context.id, signal),
      ]);
      return { said, people: [...who.everybody.values()] };
    },
    [context.id, data.links, data.themes],
  );
  const { said, people = [] } = loaded.data ?? {};
  const ways = useMemo(() => groupings(people), [people]);
  const wanted = query.get('by') ?? 'persona';
  const by = ways.includes(wanted) ? wanted : 'persona';
  const rows = useMemo(() => {
    const own = /** @type {Map<string, Said>} */ (new Map());
    for (const row of said ?? []) {
      const of = own.get(row.theme_id) ?? new Map();
      own.set(row.theme_id, of.set(keyOf(row), (of.get(keyOf(row)) ?? 0) + Number(row.quotes)));
    }
    return rowsOf(data.themes, own);
  }, [said, data.themes]);
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
    return { people: those.length, quotes: those.reduce((sum, [, n]) => sum + n, 0) };
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
