// The order of a review, and what it is limited to. They are part of the address.
import { html } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { Choice } from '../../page/form.js';
import { count, number } from '../../page/words.js';

/**
 * @typedef {object} Limits '' is no limit
 * @property {string} import
 * @property {string} persona
 * @property {string} stance
 * @property {string} order
 */
/** @typedef {Pick<Interview, 'id' | 'title' | 'created_at'>} Source */
/** @typedef {import('../board/filters.js').PersonOf} PersonOf */
/** @typedef {Map<string | null, Source>} Sources the interviews, by their ids */

const names = /** @type {const} */ (['import', 'persona', 'stance']);

/** @param {URLSearchParams} query @returns {Limits} */
export const limitsOf = (query) => ({
  import: query.get('import') ?? '',
  persona: query.get('persona') ?? '',
  stance: query.get('stance') ?? '',
  order: query.get('order') ?? '',
});

const ranks = { strong: 0, medium: 1, weak: 2 };

/** @type {Record<string, (a: Quote, b: Quote) => number>} */
const orders = {
  strength: (a, b) => ranks[a.strength] - ranks[b.strength] || (b.confidence ?? 0) - (a.confidence ?? 0),
  newest: (a, b) => b.created_at.localeCompare(a.created_at),
};

// limited returns the rows within limits, in their order. Rows are in the order of hypotheses and transcripts
// before, and where the order says nothing.
/** @param {Quote[]} rows @param {Limits} limits @param {PersonOf} personOf */
export function limited(rows, limits, personOf) {
  const within = rows.filter(
    (row) =>
      (!limits.import || row.import_id === limits.import) &&
      (!limits.persona || personOf(row)?.personaId === limits.persona) &&
      (!limits.stance || row.stance === limits.stance),
  );
  return Object.hasOwn(orders, limits.order) ? within.sort(orders[limits.order]) : within;
}

/** @type {Record<string, string>} */
const orderNames = { '': 'By transcript', strength: 'Strongest first', newest: 'Newest first' };
/** @type {Record<string, string>} */
const stanceNames = {
  '': 'For, against, neutral',
  supports: 'Only supporting',
  contradicts: 'Only contradicting',
  neutral: 'Only neutral',
};

/** @param {Record<string, string>} first @param {{ id: string, name: string }[]} rows */
const optionsOf = (first, rows) => ({ ...first, ...Object.fromEntries(rows.map((r) => [r.id, r.name])) });

// LimitsBar shows the order and the limits, and how many quotes are left: open of those within the limits,
// and rest of the others.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Sources} props.sources
 * @param {Limits} props.limits
 * @param {string | null} props.only the hypothesis
 * @param {number} props.open
 * @param {number} props.rest
 */
export function LimitsBar({ context, sources, limits, only, open, rest }) {
  const any = names.some((name) => limits[name]);
  const on = [
    orderNames[limits.order] ?? orderNames[''],
    limits.stance && stanceNames[limits.stance]?.toLowerCase(),
    limits.persona && context.personas.find(({ id }) => id === limits.persona)?.name,
    limits.import && sources.get(limits.import)?.title,
    `${count(open, 'quote')} left${rest > 0 ? `, ${number(rest)} outside these limits` : ''}`,
  ];
  /** @param {string} label @param {keyof Limits} name @param {Record<string, string>} options */
  const choice = (label, name, options) => html`
    <${Choice}
      label=${label}
      value=${limits[name]}
      options=${options}
      onChange=${(value) => setQuery({ [name]: value, q: null })}
    />
  `;
  return html`
    <details class="limits">
      <summary dir="auto">${on.filter(Boolean).join(' · ')}</summary>
      <div class="filters" role="group" aria-label="Order and limits">
        ${choice('Order', 'order', orderNames)}
        <${Choice}
          label="Hypothesis"
          value=${only ?? ''}
          options=${optionsOf(
            { '': 'All hypotheses' },
            context.hypotheses.map((h) => ({ id: h.id, name: h.statement })),
          )}
          onChange=${(/** @type {string} */ h) => setQuery({ h, q: null })}
        />
        ${choice('Stance', 'stance', stanceNames)}
        ${choice(
          'Interview',
          'import',
          optionsOf(
            { '': 'All interviews' },
            [...sources.values()].map((i) => ({ id: i.id, name: i.title })),
          ),
        )}
        ${
          context.personas.length > 0 &&
          choice('Persona', 'persona', optionsOf({ '': 'Any persona' }, context.personas))
        }
        ${
          any &&
          html`
            <button class="link" onClick=${() => setQuery(Object.fromEntries(names.map((n) => [n, null])))}>
              Clear
            </button>
          `
        }
      </div>
    </details>
  `;
}
