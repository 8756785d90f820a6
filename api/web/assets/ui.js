// The components that views share.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from './html.js';
import { store, useStore } from './store.js';

// Announcements for screen readers; each replaces the previous one.
const spoken = store('');
export const say = (text) => {
  spoken.set('');
  setTimeout(() => spoken.set(text), 50);
};
export const Spoken = () => html`<div class="unseen" role="status" aria-live="polite">${useStore(spoken)}</div>`;

// Toasts: messages at the bottom of the page, with Undo if the action can be undone.
const toasts = store([]);
const UNDO_MS = 8000;
let nextToast = 1;

// toast shows a message. If it disappears without undo, done() runs; while the page is being closed,
// done(true).
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
  entry.timer = setTimeout(() => entry.close(false), ms);
  toasts.set([...toasts.get().slice(-2), entry]);
  return entry;
}
export const problem = (error) => toast(sentence(error), { bad: true, ms: 12000 });

// settle completes the actions that can still be undone, before something reads their result.
export function settle(leaving = false) {
  for (const t of toasts.get()) if (t.undo) t.close(false, leaving);
}
window.addEventListener('pagehide', () => settle(true));

export function Toasts() {
  const all = useStore(toasts);
  return html`<div class="toasts" role="region" aria-label="Messages">
    ${all.map((t) => html`<div class=${'toast' + (t.bad ? ' bad' : '')} key=${t.id} role=${t.bad ? 'alert' : 'status'}>
      <span dir="auto">${t.text}</span>
      ${t.undo && html`<button class="quiet" onClick=${() => t.close(true)}>Undo</button>`}
      <button class="quiet icon" aria-label="Dismiss" onClick=${() => t.close(false)}>×</button>
    </div>`)}
  </div>`;
}
// undoLatest undoes the latest action that can be undone.
export function undoLatest() {
  const last = toasts.get().findLast((t) => t.undo);
  last?.close(true);
  return !!last;
}

export const sentence = (error) => [error.message, error.hint].filter(Boolean).join(' ');

export function Problem({ error, retry }) {
  return html`<div class="problem" role="alert">
    <p dir="auto">${sentence(error)}</p>
    ${retry && html`<button onClick=${retry}>Try again</button>`}
  </div>`;
}

// Loading shows nothing for the first 250 ms, because most answers arrive sooner.
export function Loading({ what = 'Loading' }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class="loading" role="status">${slow && html`<span class="spinner" aria-hidden="true"></span> ${what}…`}</div>`;
}

// Title is the main heading of a view. It sets the title of the document and takes the focus when the view
// opens.
export function Title({ children, text, class: className = '' }) {
  const ref = useRef();
  const name = text ?? children;
  useEffect(() => {
    document.title = `${name} · Research`;
  }, [name]);
  useEffect(() => {
    if (!document.activeElement || document.activeElement === document.body || document.activeElement.matches('nav a, .switch a')) ref.current.focus({ preventScroll: true });
  }, []);
  return html`<h1 tabindex="-1" ref=${ref} class=${className} dir="auto">${children}</h1>`;
}

export function Empty({ title, children }) {
  return html`<div class="empty"><h2>${title}</h2>${children}</div>`;
}

export function Field({ label, hint, error, children }) {
  const id = useId();
  const describe = hint || error ? `${id}-hint` : undefined;
  return html`<div class=${'field' + (error ? ' wrong' : '')}>
    <label for=${id}>${label}</label>
    ${children({ id, 'aria-describedby': describe, 'aria-invalid': error ? 'true' : undefined })}
    ${(hint || error) && html`<p class="hint" id=${describe}>${error || hint}</p>`}
  </div>`;
}

export function Choice({ label, value, options, onChange, disabled, plain = false }) {
  const id = useId();
  return html`<span class=${plain ? 'choice plain' : 'choice'}>
    <label for=${id} class=${plain ? 'unseen' : ''}>${label}</label>
    <select id=${id} disabled=${disabled} value=${value} onChange=${(e) => onChange(e.currentTarget.value)}>
      ${Object.entries(options).map(([key, text]) => html`<option value=${key} key=${key} selected=${key === value}>${text}</option>`)}
    </select>
  </span>`;
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
    dialog.querySelector('.inside > :not(header) :is(input:not([type=radio]), input:checked, select, textarea)')?.focus(); // instead of the close button
    return () => {
      dialog.close();
      if (before?.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return html`<dialog ref=${ref} class=${wide ? 'wide' : ''} aria-labelledby=${id}
    onCancel=${(e) => { e.preventDefault(); onClose(); }}
    onMouseDown=${(e) => { if (e.target === ref.current) onClose(); }}>
    <div class="inside">
      <header><h2 id=${id}>${title}</h2><button class="quiet icon" aria-label="Close" onClick=${onClose}>×</button></header>
      ${children}
    </div>
  </dialog>`;
}

export const dialogOpen = () => !!document.querySelector('dialog[open]');

// focusOn focuses the element that was just selected, unless the user is typing or a dialog is open.
export function focusOn(element) {
  if (element && !dialogOpen() && !document.activeElement?.matches('input, select, textarea')) element.focus({ preventScroll: true });
}

// Form calls send on submit, once at a time, and shows its error.
export function Form({ send, children, submit, onCancel, danger, class: className = '' }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
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
  return html`<form class=${className} onSubmit=${onSubmit}>
    ${children}
    ${error && html`<p class="wrong" role="alert" dir="auto">${sentence(error)}</p>`}
    <div class="actions">
      ${danger}
      ${onCancel && html`<button type="button" onClick=${onCancel}>Cancel</button>`}
      <button class="primary" disabled=${busy}>${submit}</button>
    </div>
  </form>`;
}

// Balance shows against and for as two bars from the middle.
export function Balance({ supports, contradicts, neutral = 0, most }) {
  const part = (n) => ({ width: `${most ? (n / most) * 100 : 0}%` });
  return html`<span class="balance" role="img" aria-label=${`${supports} for, ${contradicts} against, ${neutral} neutral`}>
    <span class="n against" aria-hidden="true">${contradicts}</span>
    <span class="bars" aria-hidden="true"><span class="half"><span class="bar against" style=${part(contradicts)}></span></span><span class="half"><span class="bar for" style=${part(supports)}></span></span></span>
    <span class="n for" aria-hidden="true">${supports}</span>
  </span>`;
}

export const Tag = ({ kind = '', title, children }) => html`<span class=${`tag ${kind}`} title=${title}>${children}</span>`;

// Progress is a progress bar. Without a total it is indeterminate.
export function Progress({ done, total, label }) {
  const known = total > 0;
  return html`<span class=${'progress' + (known ? '' : ' unknown')} role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax=${known ? total : undefined} aria-valuenow=${known ? done : undefined}>
    <span style=${{ width: known ? `${(done / total) * 100}%` : '100%' }}></span>
  </span>`;
}

// useKeys calls the handler of a key, unless the user is typing, a dialog is open or a modifier is pressed.
export function useKeys(keys) {
  const latest = useRef();
  latest.current = keys;
  useEffect(() => {
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
