// The filters of the board of themes, which are part of its address.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { note, setQuery } from '../../page/router.js';
import { Choice } from '../../page/form.js';
import { groupText, inGroup } from '../shared/groups.js';
import { loose } from './layout.js';

/** @type {Record<string, string>} */
const kinds = { '': 'All quotes', unassigned: 'Without a theme', loose: 'Without a hypothesis' };

/** @param {URLSearchParams} query @returns {ThemeFilters} */
function filtersOf(query) {
  const text = (query.get('text') ?? '').trim().toLowerCase();
  const group = query.get('group') ?? '';
  const found = query.get('only') ?? '';
  const only = found === 'unassigned' || found === 'loose' ? found : '';
  return { text, group, only, any: Boolean(text || group || only) };
}

// keeps returns whether a quote matches the filters.
/** @param {ThemeFilters} want @returns {(quote: Themed, places: string[]) => boolean} */
export const keeps =
  ({ text, group, only }) =>
  (quote, places) =>
    (!text || quote.text.includes(text)) &&
    (!group || (!!quote.who && inGroup(quote.who, group))) &&
    (only !== 'unassigned' || places.includes(loose)) &&
    (only !== 'loose' || quote.loose);

const TYPING_MS = 150;

// Filters sets the filters. input is the field of the words.
/**
 * @param {object} props
 * @param {ThemeFilters} props.want
 * @param {Context} props.context
 * @param {string} props.text as it was typed
 * @param {(text: string) => void} props.onText
 * @param {{ current: HTMLInputElement | null }} props.input
 * @param {() => void} props.onLeave runs when the keyboard leaves the field
 */
export function Filters({ want, context, text, onText, input, onLeave }) {
  const { personas } = context;
  const known = Object.fromEntries(personas.map(({ id, name }) => [`persona:${id}`, name]));
  const groups = {
    '': 'Everybody',
    ...known,
    ...(want.group && !known[want.group] && { [want.group]: groupText(want.group, personas) }),
  };
  return html`
    <input
      ref=${input}
      type="search"
      class="find"
      aria-label="Filter the quotes"
      placeholder="Filter quotes, people…"
      title="Filter (/)"
      maxlength="100"
      value=${text}
      onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ e) => onText(e.currentTarget.value)}
      onKeyDown=${(/** @type {KeyboardEvent & { currentTarget: HTMLInputElement }} */ e) => {
        if (e.key !== 'Escape' && e.key !== 'Enter') return;
        e.preventDefault();
        if (e.key === 'Escape') onText('');
        e.currentTarget.blur();
        onLeave();
      }}
    />
    <${Choice}
      label="People"
      value=${want.group}
      options=${groups}
      onChange=${(/** @type {string} */ group) => setQuery({ group })}
    />
    <${Choice}
      label="Quotes"
      value=${want.only}
      options=${kinds}
      onChange=${(/** @type {string} */ only) => setQuery({ only })}
    />
    ${
      want.any &&
      html`
        <button
          class="quiet"
          onClick=${() => {
            onText('');
            setQuery({ text: null, group: null, only: null });
          }}
        >
          Clear the filter
        </button>
      `
    }
  `;
}

// useFilters returns the filters in the address. What is typed takes effect after a moment without a key.
/** @param {URLSearchParams} query */
export function useFilters(query) {
  const [typed, setTyped] = useState(query.get('text') ?? '');
  const [text, setText] = useState(typed);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  useEffect(() => () => clearTimeout(timer.current), []);
  const asked = new URLSearchParams(query);
  asked.set('text', text);
  return {
    want: filtersOf(asked),
    typed,
    /** @param {string} next */
    type(next) {
      setTyped(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        setText(next);
        note({ text: next });
      }, TYPING_MS);
    },
  };
}
