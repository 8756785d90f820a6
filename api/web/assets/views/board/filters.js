// The filters of the board. They are part of the address.
import { html } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { Choice } from '../../page/form.js';
import { groupText, inGroup } from '../shared/groups.js';

const names = /** @type {const} */ (['import', 'speaker', 'person', 'persona', 'group', 'review', 'since']);
const none = Object.fromEntries(names.map((name) => [name, null]));

// filtersOf returns the filters in an address. any reports whether there is one.
/** @param {URLSearchParams} query @returns {BoardFilters} */
export const filtersOf = (query) => ({
  import: query.get('import') ?? '',
  speaker: query.get('speaker') ?? '',
  person: query.get('person') ?? '',
  persona: query.get('persona') ?? '',
  group: query.get('group') ?? '',
  review: query.get('review') ?? '',
  since: query.get('since') ?? '',
  any: names.some((name) => query.get(name)),
});

/** @typedef {(row: Quote) => Person | undefined} PersonOf who speaks in a quote */

// narrows reports whether the filters ask for some kind of people, and isAmong whether a person is of it.
/** @param {BoardFilters} want */
export const narrows = (want) => Boolean(want.persona || want.group);
/** @param {Person | undefined} person @param {BoardFilters} want */
export const isAmong = (person, want) =>
  !!person &&
  (!want.persona || person.personaId === want.persona) &&
  (!want.group || inGroup(person, want.group));

// matches reports whether the board shows a row. Rows in touched stay after they were judged. since has the
// ids of what was said against the decision.
/**
 * @param {Quote} row
 * @param {BoardFilters} want
 * @param {Set<string>} touched
 * @param {PersonOf} personOf
 * @param {ReadonlySet<string>} since
 */
export function matches(row, want, touched, personOf, since) {
  const reviewed = want.review ? row.review === want.review : row.review !== 'rejected';
  return (
    (want.review === 'all' || reviewed || touched.has(row.id)) &&
    (!want.since || since.has(row.id)) &&
    (!want.import || row.import_id === want.import) &&
    (!want.speaker || row.speaker === want.speaker) &&
    (!want.person || personOf(row)?.key === want.person) &&
    (!narrows(want) || isAmong(personOf(row), want))
  );
}

const reviewFilters = {
  '': 'Accepted and unreviewed',
  suggested: 'To review',
  accepted: 'Accepted',
  rejected: 'Rejected',
  all: 'All',
};

/**
 * @param {object} props
 * @param {BoardFilters} props.want
 * @param {BoardImport[]} props.imports
 * @param {string[]} props.speakers
 * @param {Persona[]} props.personas
 * @param {() => void} props.onReview runs before another filter of reviews is set
 */
export function Filters({ want, imports, speakers, personas, onReview }) {
  /** @param {string} label @param {typeof names[number]} name @param {Record<string, string>} options */
  const choice = (label, name, options) => html`
    <${Choice}
      label=${label}
      value=${want[name]}
      options=${options}
      onChange=${(value) => {
        if (name === 'review') onReview();
        setQuery({ [name]: value });
      }}
    />
  `;
  return html`
    ${choice('Interview', 'import', {
      '': 'All interviews',
      ...Object.fromEntries(imports.map((i) => [i.id, i.title])),
    })}
    ${choice('Speaker', 'speaker', { '': 'Everyone', ...Object.fromEntries(speakers.map((s) => [s, s])) })}
    ${
      personas.length > 0 &&
      choice('Persona', 'persona', {
        '': 'Any persona',
        ...Object.fromEntries(personas.map((p) => [p.id, p.name])),
      })
    }
    ${
      want.group &&
      choice('Group', 'group', {
        '': 'Everybody',
        [want.group]: groupText(want.group, personas),
      })
    }
    ${want.since && choice('Said', 'since', { '': 'At any time', [want.since]: 'Against the verdict' })}
    ${choice('Review', 'review', reviewFilters)}
    ${
      want.any &&
      html`
        <button class="link" onClick=${() => setQuery(none)}>Clear</button>
      `
    }
  `;
}
