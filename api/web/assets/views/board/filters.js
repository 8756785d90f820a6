// The filters of the board. They are part of the address.
import { html } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { Choice } from '../../page/form.js';

const names = ['import', 'speaker', 'persona', 'review'];
const none = Object.fromEntries(names.map((name) => [name, null]));

// filtersOf returns the filters in an address. any reports whether there is one.
export function filtersOf(query) {
  const want = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']));
  return { ...want, any: names.some((name) => want[name]) };
}

// matches reports whether the board shows a row. Rows in touched stay after they were judged.
export function matches(row, want, touched, personaOf) {
  const reviewed = want.review ? row.review === want.review : row.review !== 'rejected';
  return (
    (want.review === 'all' || reviewed || touched.has(row.id)) &&
    (!want.import || row.import_id === want.import) &&
    (!want.speaker || row.speaker === want.speaker) &&
    (!want.persona || personaOf(row) === want.persona)
  );
}

const reviewFilters = {
  '': 'Accepted and unreviewed',
  suggested: 'To review',
  accepted: 'Accepted',
  rejected: 'Rejected',
  all: 'All',
};

export function Filters({ want, imports, speakers, personas, onReview }) {
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
    ${choice('Review', 'review', reviewFilters)}
    ${
      want.any &&
      html`
        <button class="link" onClick=${() => setQuery(none)}>Clear</button>
      `
    }
  `;
}
