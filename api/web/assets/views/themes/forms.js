// The forms about themes: a new one, its name and description, a part of it, and the hypothesis it becomes.
import { html } from '../../page/html.js';
import { ApiError, codeOf } from '../../client/http.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options, valuesOf } from '../../page/form.js';
import { count } from '../../page/words.js';
import { stanceVerbs } from '../shared/evidencewords.js';
import { belowOf } from './chosen.js';

// unique explains that a theme has the name already.
/** @template T @param {string} name @param {() => Promise<T>} send */
async function unique(name, send) {
  try {
    return await send();
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    throw new ApiError(
      `A theme has the name “${name}” already, perhaps one that is archived. Choose another name, or merge ` +
        'the two.',
      { status: 409, code: '23505' },
    );
  }
}

/** @param {{ p: Control, name?: string }} props */
const Name = ({ p, name = '' }) => html`
  <input ...${p} name="name" required maxlength="120" autocomplete="off" defaultValue=${name} />
`;

/** @param {ThemeDialogProps} props */
export const NewTheme = ({ acts, focus, onClose }) => html`
  <${Dialog} title="New theme" onClose=${onClose}>
    <${Form}
      send=${async (/** @type {HTMLFormElement} */ form) => {
        const { id } = await acts.create(valuesOf(form).name.trim());
        onClose();
        focus.jump(id);
      }}
      submit="Add"
      onCancel=${onClose}
    >
      <${Field} label="Name">
        ${(p) => html`
          <${Name} p=${p} />
        `}
      <//>
    <//>
  <//>
`;

/** @param {ThemeDialogProps} props */
export function EditTheme({ acts, chosen, onClose }) {
  const { theme } = chosen;
  if (!theme) return null;
  /** @param {HTMLFormElement} form */
  const send = async (form) => {
    const { name, description, color } = valuesOf(form);
    const values = { name: name.trim(), description: description.trim(), color };
    await unique(values.name, () => acts.describe(theme, values));
    onClose();
  };
  return html`
    <${Dialog} title="Theme" onClose=${onClose}>
      <${Form}
        send=${send}
        submit="Save"
        onCancel=${onClose}
        danger=${html`
          <button
            type="button"
            class="danger"
            onClick=${() => {
              onClose();
              chosen.leaving([theme.id]);
              acts.archive(theme);
            }}
          >
            Archive
          </button>
        `}
      >
        <${Field} label="Name">
          ${(p) => html`
            <${Name} p=${p} name=${theme.name} />
          `}
        <//>
        <${Field} label="Description" hint="What belongs to it, and what does not.">
          ${(p) => html`
            <textarea
              ...${p}
              name="description"
              rows="3"
              maxlength="2000"
              defaultValue=${theme.description}
            ></textarea>
          `}
        <//>
        <${Field} label="Colour">
          ${(p) => html`
            <input ...${p} type="color" name="color" defaultValue=${theme.color} />
          `}
        <//>
      <//>
    <//>
  `;
}

/** @param {ThemeDialogProps} props */
export function SplitTheme({ data, acts, chosen, focus, onClose }) {
  const from = data.themes.get(chosen.only ?? '');
  if (!from) return null;
  /** @param {HTMLFormElement} form */
  const send = async (form) => {
    const name = valuesOf(form).name.trim();
    const id = await unique(name, () => acts.split(from.id, chosen.quotes, name));
    onClose();
    chosen.leaving(chosen.quoteItems);
    focus.jump(id);
  };
  return html`
    <${Dialog} title=${`Split ${count(chosen.quotes.length, 'quote')} off “${from.name}”`} onClose=${onClose}>
      <${Form} send=${send} submit="Split" onCancel=${onClose}>
        <${Field} label="Name of the new theme">
          ${(p) => html`
            <${Name} p=${p} />
          `}
        <//>
      <//>
    <//>
  `;
}

// ThemeHypothesis makes a hypothesis of a theme: its quotes are linked with one stance, which can be changed
// for each of them on the board of the hypothesis.
/** @param {ThemeDialogProps} props */
export function ThemeHypothesis({ data, acts, chosen, onClose }) {
  const { theme } = chosen;
  if (!theme) return null;
  const parts = new Set(belowOf(data.themes, theme.id));
  /** @param {ThemeLink} l */
  const counts = (l) => parts.has(l.theme_id) && l.review !== 'rejected';
  const n = data.quotes.filter(({ id, ready }) => ready && data.links.get(id)?.some(counts)).length;
  /** @param {HTMLFormElement} form */
  const send = async (form) => {
    const { statement, stance } = valuesOf(form);
    await acts.hypothesis(theme, statement.trim(), /** @type {Stance} */ (stance));
    onClose();
  };
  return html`
    <${Dialog} title="Turn into a hypothesis" onClose=${onClose} wide>
      <${Form} send=${send} submit="Make the hypothesis" onCancel=${onClose}>
        <${Field}
          label="Statement"
          hint="What you believe because of this theme, so that interviews can support or contradict it."
        >
          ${(p) => html`
            <textarea
              ...${p}
              name="statement"
              rows="3"
              required
              maxlength="2000"
              defaultValue=${theme.description || theme.name}
            ></textarea>
          `}
        <//>
        <${Field}
          label="What its quotes say about that"
          hint=${`${count(n, 'quote')} ${n === 1 ? 'is' : 'are'} linked as evidence. The theme stays.`}
        >
          ${(p) => html`
            <select ...${p} name="stance">
              <${Options} of=${stanceVerbs} value="supports" />
            </select>
          `}
        <//>
      <//>
    <//>
  `;
}
