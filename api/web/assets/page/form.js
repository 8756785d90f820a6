// Forms and their fields.
import { html, useId, useLayoutEffect, useRef, useState } from './html.js';
import { asError, sentence } from '../client/http.js';
import { keepDraft, remember, takeDraft } from './drafts.js';

// Form calls send on submit, once at a time, and shows its error. If the session ends meanwhile, what was
// typed is there again when the same user opens the form at the same address.
/**
 * @param {object} props
 * @param {(form: HTMLFormElement) => unknown} props.send
 * @param {Children} props.children
 * @param {string} props.submit
 * @param {boolean} [props.disabled]
 * @param {() => void} [props.onCancel]
 * @param {Children} [props.danger]
 * @param {string} [props.class]
 */
export function Form({ send, children, submit, disabled, onCancel, danger, class: className = '' }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [restored, setRestored] = useState(false);
  /** @type {Ref<HTMLFormElement>} */
  const ref = useRef();
  useLayoutEffect(() => {
    const form = ref.current;
    const name = `${location.pathname} ${submit}`;
    remember();
    setRestored(takeDraft(name, form));
    return () => keepDraft(name, form);
  }, []);
  /** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  async function onSubmit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await send(event.currentTarget);
    } catch (e) {
      setError(asError(e));
    }
    setBusy(false);
  }
  return html`
    <form class=${className} ref=${ref} onSubmit=${onSubmit}>
      ${
        restored &&
        html`
          <p class="note" role="status">Your session had ended. What you typed is here again.</p>
        `
      }
      ${children}
      ${
        error &&
        html`
          <p class="wrong" role="alert" dir="auto">${sentence(error)}</p>
        `
      }
      <div class="actions">
        ${danger}
        ${
          onCancel &&
          html`
            <button type="button" onClick=${onCancel}>Cancel</button>
          `
        }
        <button class="primary" disabled=${busy || disabled}>${submit}</button>
      </div>
    </form>
  `;
}

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} [props.hint]
 * @param {string} [props.error]
 * @param {(control: Control) => Children} props.children
 */
export function Field({ label, hint, error, children }) {
  const id = useId();
  const describe = hint || error ? `${id}-hint` : undefined;
  return html`
    <div class=${'field' + (error ? ' wrong' : '')}>
      <label for=${id}>${label}</label>
      ${children({ id, 'aria-describedby': describe, 'aria-invalid': error ? 'true' : undefined })}
      ${
        (hint || error) &&
        html`
          <p class="hint" id=${describe}>${error || hint}</p>
        `
      }
    </div>
  `;
}

// A key that opens the list of a select, or takes an option from the open list.
/** @param {KeyboardEvent} e */
const decides = (e) => ['Enter', ' ', 'F4'].includes(e.key) || (e.altKey && e.key.startsWith('Arrow'));

// useDeliberate returns what a select needs, so that its choice takes effect at once by pointer, and by
// keyboard only with Enter: browsers change a closed select with every arrow key and letter. Escape takes the
// choice back. waiting says that a choice waits for Enter.
/** @param {string} value @param {(value: string) => void} onChange */
function useDeliberate(value, onChange) {
  const [chosen, setChosen] = useState(/** @type {string | null} */ (null));
  const byKey = useRef(false);
  const waiting = chosen !== null && chosen !== value;
  const take = (/** @type {string} */ next) => {
    setChosen(null);
    onChange(next);
  };
  return {
    value: chosen ?? value,
    waiting,
    take,
    /** @param {string} next */
    change: (next) => (byKey.current ? setChosen(next) : take(next)),
    point: () => (byKey.current = false),
    /** @param {KeyboardEvent} e */
    press(e) {
      byKey.current = !decides(e);
      if (!waiting || (e.key !== 'Enter' && e.key !== 'Escape')) return;
      e.preventDefault();
      e.stopPropagation();
      if (e.key === 'Enter') take(chosen);
      else setChosen(null);
    },
  };
}

// Decision is a Choice that is saved: what is chosen by keyboard waits for Enter or the button.
/** @param {Parameters<typeof Choice>[0]} props */
export function Decision({ value, onChange, ...props }) {
  const { value: shown, waiting, take, change, point, press } = useDeliberate(value, onChange);
  return html`
    <span class="decides" onKeyDown=${press} onPointerDown=${point}>
      <${Choice} ...${props} value=${shown} onChange=${change} />
      ${
        waiting &&
        html`
          <button class="small" title="Enter; Escape takes it back" onClick=${() => take(shown)}>Save</button>
        `
      }
    </span>
  `;
}

// MANY_OPTIONS is the number from which options are only in the document while the select has the focus.
const MANY_OPTIONS = 100;

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.value
 * @param {Record<string, string>} props.options
 * @param {(value: string) => void} props.onChange
 * @param {boolean} [props.disabled]
 * @param {boolean} [props.plain]
 */
export function Choice({ label, value, options, onChange, disabled, plain = false }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const many = Object.keys(options).length > MANY_OPTIONS;
  const shown = many && !open ? { [value]: options[value] } : options;
  return html`
    <span class=${plain ? 'choice plain' : 'choice'}>
      <label for=${id} class=${plain ? 'unseen' : ''}>${label}</label>
      <select
        id=${id}
        disabled=${disabled}
        value=${value}
        onFocus=${() => setOpen(true)}
        onBlur=${() => setOpen(false)}
        onChange=${(e) => onChange(e.currentTarget.value)}
      >
        <${Options} of=${shown} value=${value} />
      </select>
    </span>
  `;
}

// Options are the options of a select, from an object of values and their texts.
/** @param {{ of: Record<string, string>, value: string }} props */
export const Options = ({ of, value }) =>
  Object.entries(of).map(
    ([key, text]) => html`
      <option key=${key} value=${key} selected=${key === value}>${text}</option>
    `,
  );

// valuesOf returns the values of the fields of a form, by their names. A page's forms have no files.
/** @param {HTMLFormElement} form @returns {Values} */
export const valuesOf = (form) => /** @type {Values} */ (Object.fromEntries(new FormData(form)));
