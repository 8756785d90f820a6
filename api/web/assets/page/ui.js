// The components that views share.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from './html.js';
import { keepDraft, remember, takeDraft } from './drafts.js';
import { store, useStore } from './store.js';

// Announcements for screen readers; each replaces the previous one.
const spoken = store('');
export const say = (text) => {
  spoken.set('');
  setTimeout(() => spoken.set(text), 50);
};
export const Spoken = () => html`
  <div class="unseen" role="status" aria-live="polite">${useStore(spoken)}</div>
`;

// Toasts: messages at the bottom of the page, with Undo if the action can be undone.
const toasts = store([]);
const UNDO_MS = 8000;
const MOST = 4; // messages at the same time
let nextToast = 1;

// toast shows a message. Errors stay until they are dismissed. The others disappear after some time, which does
// not pass while the pointer or the focus is on one of them, or the tab is hidden. If a message disappears
// without undo, done() runs; while the page is being closed, done(true).
export function toast(text, { undo, done, bad = false, ms = UNDO_MS } = {}) {
  const id = nextToast++;
  const entry = { id, text, undo, bad };
  entry.close = (undone, leaving = false) => {
    if (!toasts.get().includes(entry)) return;
    clearTimeout(entry.timer);
    toasts.set(toasts.get().filter((t) => t !== entry));
    if (undone) undo?.();
    else done?.(leaving);
  };
  entry.hold = () => clearTimeout(entry.timer);
  entry.release = () => {
    entry.hold();
    if (!bad) entry.timer = setTimeout(() => entry.close(false), ms);
  };
  if (document.visibilityState === 'visible') entry.release();
  toasts.set([...toasts.get(), entry]);
  for (const old of toasts.get().slice(0, -MOST)) old.close(false);
  return entry;
}
export const problem = (error) => toast(sentence(error), { bad: true });

const hold = () => toasts.get().forEach((t) => t.hold());
const release = () => toasts.get().forEach((t) => t.release());
document.addEventListener('visibilitychange', () =>
  document.visibilityState === 'visible' ? release() : hold(),
);

// settle completes the actions that can still be undone, before something reads their result.
export function settle(leaving = false) {
  for (const t of toasts.get()) if (t.undo) t.close(false, leaving);
}
window.addEventListener('pagehide', () => settle(true));

export function Toasts() {
  const all = useStore(toasts);
  return html`
    <div
      class="toasts"
      role="region"
      aria-label="Messages"
      onMouseEnter=${hold}
      onMouseLeave=${release}
      onFocusIn=${hold}
      onFocusOut=${release}
    >
      ${all.map(
        (t) => html`
          <div class=${'toast' + (t.bad ? ' bad' : '')} key=${t.id} role=${t.bad ? 'alert' : 'status'}>
            <span dir="auto">${t.text}</span>
            ${
              t.undo &&
              html`
                <button class="quiet" onClick=${() => t.close(true)}>Undo</button>
              `
            }
            <button class="quiet icon" aria-label="Dismiss" onClick=${() => t.close(false)}>×</button>
          </div>
        `,
      )}
    </div>
  `;
}
export const sentence = (error) => [error.message, error.hint].filter(Boolean).join(' ');

export function Problem({ error, retry }) {
  return html`
    <div class="problem" role="alert">
      <p dir="auto">${sentence(error)}</p>
      ${
        retry &&
        html`
          <button onClick=${retry}>Try again</button>
        `
      }
    </div>
  `;
}

// Loading shows nothing for the first 250 ms, because most answers arrive sooner.
export function Loading({ what = 'Loading' }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return html`
    <div class="loading" role="status">
      ${
        slow &&
        html`
          <span class="spinner" aria-hidden="true"></span>
          ${' '}${what}…
        `
      }
    </div>
  `;
}

// Title is the main heading of a view. It sets the title of the document and takes the focus when the view
// opens.
export function Title({ children, text, id, class: className = '' }) {
  const ref = useRef();
  const name = text ?? children;
  useEffect(() => {
    document.title = `${name} · Research`;
  }, [name]);
  useEffect(() => {
    if (
      !document.activeElement ||
      document.activeElement === document.body ||
      document.activeElement.matches('nav a, .switch a')
    )
      ref.current.focus({ preventScroll: true });
  }, []);
  return html`
    <h1 tabindex="-1" ref=${ref} id=${id} class=${className} dir="auto">${children}</h1>
  `;
}

export function Empty({ title, children }) {
  return html`
    <div class="empty">
      <h2>${title}</h2>
      ${children}
    </div>
  `;
}

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

// MANY_OPTIONS is the number from which options are only in the document while the select has the focus.
const MANY_OPTIONS = 100;

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

// Dialog uses the dialog element of the browser, which keeps the focus inside, closes on Escape and returns
// the focus.
export function Dialog({ title, onClose, children, wide = false }) {
  const ref = useRef();
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog.showModal();
    dialog
      .querySelector('.inside > :not(header) :is(input:not([type=radio]), input:checked, select, textarea)')
      ?.focus(); // instead of the close button
    return () => {
      dialog.close();
      if (before?.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return html`
    <dialog
      ref=${ref}
      class=${wide ? 'wide' : ''}
      aria-labelledby=${id}
      onCancel=${(e) => {
        e.preventDefault();
        onClose();
      }}
      onMouseDown=${(e) => {
        if (e.target === ref.current) onClose();
      }}
    >
      <div class="inside">
        <header>
          <h2 id=${id}>${title}</h2>
          <button class="quiet icon" aria-label="Close" onClick=${onClose}>×</button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

export const dialogOpen = () => !!document.querySelector('dialog[open]');

// focusOn focuses the element that was just selected, unless the user is typing or a dialog is open.
export function focusOn(element) {
  if (element && !dialogOpen() && !document.activeElement?.matches('input, select, textarea'))
    element.focus({ preventScroll: true });
}

// Form calls send on submit, once at a time, and shows its error. If the session ends meanwhile, what was typed
// is there again when the same user opens the form at the same address.
export function Form({ send, children, submit, disabled, onCancel, danger, class: className = '' }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const [restored, setRestored] = useState(false);
  const ref = useRef();
  useLayoutEffect(() => {
    const form = ref.current;
    const name = `${location.pathname} ${submit}`;
    remember();
    setRestored(takeDraft(name, form));
    return () => keepDraft(name, form);
  }, []);
  async function onSubmit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await send(event.currentTarget);
    } catch (e) {
      setError(e);
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

// Options are the options of a select, from an object of values and their texts.
export const Options = ({ of, value }) =>
  Object.entries(of).map(
    ([key, text]) => html`
      <option key=${key} value=${key} selected=${key === value}>${text}</option>
    `,
  );

export const Tag = ({ kind = '', title, children }) => html`
  <span class=${`tag ${kind}`} title=${title}>${children}</span>
`;

// Progress is a progress bar. Without a total it is indeterminate.
export function Progress({ done, total, label }) {
  const known = total > 0;
  return html`
    <span
      class=${'progress' + (known ? '' : ' unknown')}
      role="progressbar"
      aria-label=${label}
      aria-valuemin="0"
      aria-valuemax=${known ? total : undefined}
      aria-valuenow=${known ? done : undefined}
    >
      <span style=${{ width: known ? `${(done / total) * 100}%` : '100%' }}></span>
    </span>
  `;
}

// useKeys calls the handler of a key, unless the user is typing, a dialog is open or a modifier is pressed. The keys
// work as soon as the view is drawn.
export function useKeys(keys) {
  const latest = useRef();
  latest.current = keys;
  useLayoutEffect(() => {
    function onKey(event) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialogOpen()) return;
      const target = event.target;
      if (target.closest?.('input, select, textarea, [contenteditable]')) return;
      if (event.key === 'Enter' && target.closest?.('a, button, summary')) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
