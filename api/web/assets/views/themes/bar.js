// The bar below the board: what was done last, and what can be done with what is selected.
import { html } from '../../page/html.js';
import { count } from '../../page/words.js';

/** @param {{ label: string, name: string, act: () => unknown }} props */
const Act = ({ label, name, act }) => html`
  <button class="small" aria-keyshortcuts=${name} onClick=${act}>
    ${label}
    <kbd aria-hidden="true">${name}</kbd>
  </button>
`;

// Last says what was done last, until something else is.
/** @param {{ acts: ThemeActs }} props */
const Last = ({ acts }) => {
  const { done } = acts;
  return (
    done &&
    html`
      <p class="done">
        <span dir="auto">${done.text}</span>
        ${
          done.link &&
          html`
            <a href=${done.link.href}>${done.link.text}</a>
          `
        }
        ${
          done.undid
            ? html`
                <button class="link" onClick=${acts.again}>Redo</button>
              `
            : done.ids?.length &&
              html`
                <button class="link" aria-keyshortcuts="u" onClick=${acts.back}>Undo</button>
                <kbd aria-hidden="true">U</kbd>
              `
        }
        <button class="quiet icon" aria-label="Dismiss" onClick=${acts.hide}>×</button>
      </p>
    `
  );
};

/** @typedef {{ label: string, name: string, act: () => unknown }} Action */

// actionsOf returns what can be done with the selected quotes, or else with the theme.
/** @param {ChosenItems} chosen @param {(dialog: ThemeDialog) => void} onOpen */
function actionsOf({ can, quotes, quote, theme, take }, onOpen) {
  /** @param {string} label @param {string} name @param {any} kind @returns {Action} */
  const opens = (label, name, kind) => ({ label, name, act: () => onOpen({ kind }) });
  const onQuotes = quotes.length > 0;
  const all = onQuotes
    ? [
        can.move && opens('Move', 'M', 'move'),
        can.add && opens('Add a theme', 'T', 'add'),
        can.split && opens('Split off', 'S', 'split'),
        can.take && { label: 'Take out', name: 'Delete', act: take },
      ]
    : [
        can.edit && opens('Rename', 'R', 'edit'),
        can.merge && opens('Merge', 'G', 'merge'),
        can.nest && opens('Nest', 'N', 'nest'),
        can.edit && opens('Hypothesis', 'H', 'hypothesis'),
      ];
  const one = onQuotes ? quotes.length === 1 && quote : theme;
  return [...all, one && opens('Notes', 'E', 'notes')].flatMap((action) => action || []);
}

/**
 * @param {object} props
 * @param {ThemeActs} props.acts
 * @param {ChosenItems} props.chosen
 * @param {number} props.picked
 * @param {() => void} props.onClear
 * @param {(dialog: ThemeDialog) => void} props.onOpen
 */
export const Bar = ({ acts, chosen, picked, onClear, onOpen }) => html`
  <section class="theme-bar" aria-label="What can be done">
    <${Last} acts=${acts} />
    <div class="what">
      ${
        picked > 0 &&
        html`
          <span role="status">${count(picked, 'item')} selected</span>
          <button class="link" onClick=${onClear}>Clear</button>
        `
      }
      ${actionsOf(chosen, onOpen).map(
        (action) => html`
          <${Act} key=${action.name} ...${action} />
        `,
      )}
      ${
        chosen.address &&
        picked === 0 &&
        html`
          <a class="button small" href=${chosen.address} aria-keyshortcuts="Enter">Open the transcript</a>
        `
      }
    </div>
  </section>
`;
