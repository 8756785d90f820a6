// Choosing a theme for quotes, or for another theme.
import { html } from '../../page/html.js';
import { Dialog } from '../../page/dialog.js';
import { problem } from '../../page/messages.js';
import { count } from '../../page/words.js';
import { ThemePicker } from '../shared/themepicker.js';
import { belowOf } from './chosen.js';

/**
 * @typedef {object} Question what is asked, and what happens with the answer
 * @property {string} title
 * @property {Theme[]} themes
 * @property {Set<string>} chosen
 * @property {(theme: Promise<Theme>) => unknown} onTheme the theme may still be made
 * @property {{ text: string, act: () => unknown }} [none] without a theme
 */

/** @param {ThemeDialogProps & { kind: string }} props @returns {Question} */
function questionOf({ kind, data, acts, chosen }) {
  const themes = [...data.themes.values()];
  const { quotes, theme } = chosen;
  const what = count(quotes.length, 'quote');
  if (kind === 'move')
    return {
      title: `Move ${what} to`,
      themes,
      chosen: new Set(chosen.only ? [chosen.only] : []),
      onTheme: (to) => chosen.move(to),
      ...(chosen.can.take && { none: { text: 'No theme', act: () => chosen.move(null) } }),
    };
  if (kind === 'add') {
    /** @param {string} id */
    const have = (id) =>
      quotes.every((quote) =>
        data.links.get(quote)?.some((l) => l.theme_id === id && l.review !== 'rejected'),
      );
    return {
      title: `Give ${what} a theme`,
      themes,
      chosen: new Set(themes.map(({ id }) => id).filter(have)),
      async onTheme(theme) {
        const to = await theme;
        return have(to.id) ? acts.take([[to.id, quotes]]) : acts.add(quotes, to);
      },
    };
  }
  if (kind === 'merge') {
    const from = chosen.themes.length > 0 ? chosen.themes : theme ? [theme] : [];
    const gone = new Set(from.map(({ id }) => id));
    return {
      title: `Merge ${from.length === 1 ? `“${from[0].name}”` : count(from.length, 'theme')} into`,
      themes: themes.filter(({ id }) => !gone.has(id)),
      chosen: new Set(),
      async onTheme(into) {
        return chosen.merge([...gone], await into);
      },
    };
  }
  const self = theme?.id ?? '';
  const below = new Set(belowOf(data.themes, self));
  return {
    title: `Nest “${theme?.name}” below`,
    themes: themes.filter(({ id }) => !below.has(id)),
    chosen: new Set(theme?.parent_id ? [theme.parent_id] : []),
    onTheme: async (parent) => theme && acts.nest(theme, await parent),
    ...(theme?.parent_id && { none: { text: 'No other theme', act: () => acts.nest(theme, null) } }),
  };
}

// ChooseTheme asks for the theme of what was chosen: to move, to add, to merge or to nest.
/** @param {ThemeDialogProps & { kind: string }} props */
export function ChooseTheme(props) {
  const { context, acts, onClose } = props;
  const { title, themes, chosen, onTheme, none } = questionOf(props);
  /** @param {Promise<Theme>} theme */
  async function choose(theme) {
    onClose();
    try {
      await onTheme(theme);
    } catch (error) {
      problem(error);
    }
  }
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <${ThemePicker}
        project=${context.id}
        themes=${themes}
        chosen=${chosen}
        onChoose=${(/** @type {Theme} */ theme) => choose(acts.usable(theme))}
        onNew=${(/** @type {string} */ name) => choose(acts.create(name))}
        onClose=${onClose}
      />
      ${
        none &&
        html`
          <div class="actions">
            <button
              type="button"
              onClick=${() => {
                onClose();
                none.act();
              }}
            >
              ${none.text}
            </button>
          </div>
        `
      }
    <//>
  `;
}

// Dropped asks what is to become of a theme that was dropped on another one.
/** @param {ThemeDialogProps & { theme: Theme, on: Theme }} props */
export function Dropped({ theme, on, data, acts, chosen, onClose }) {
  const isBelow = belowOf(data.themes, theme.id).includes(on.id);
  /** @param {() => unknown} act */
  const go = (act) => () => {
    onClose();
    act();
  };
  return html`
    <${Dialog} title=${`“${theme.name}” and “${on.name}”`} onClose=${onClose}>
      <div class="theme-choices">
        <button onClick=${go(() => chosen.merge([theme.id], on))}>
          Merge “${theme.name}” into “${on.name}”
        </button>
        ${
          !isBelow &&
          html`
            <button onClick=${go(() => acts.nest(theme, on))}>Nest “${theme.name}” below “${on.name}”</button>
            <button onClick=${go(() => acts.place(theme, on))}>
              Move “${theme.name}” to the place of “${on.name}”
            </button>
          `
        }
        <button class="quiet" onClick=${onClose}>Leave it where it is</button>
      </div>
    <//>
  `;
}
