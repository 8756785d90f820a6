// A new theme, after the last column of the board.
import { html } from '../../page/html.js';
import { Form, valuesOf } from '../../page/form.js';

/** @param {{ acts: ThemeActs, onMade: (theme: string) => void }} props */
export const NewColumn = ({ acts, onMade }) => html`
  <section class="theme-column new" aria-label="New theme">
    <${Form}
      submit="Add"
      send=${async (/** @type {HTMLFormElement} */ form) => {
        const { id } = await acts.create(valuesOf(form).name.trim());
        form.reset();
        /** @type {HTMLInputElement} */ (form.elements.namedItem('name')).blur(); // the theme gets the focus
        onMade(id);
      }}
    >
      <input
        name="name"
        aria-label="Name of a new theme"
        placeholder="New theme"
        required
        maxlength="120"
        autocomplete="off"
      />
    <//>
  </section>
`;
