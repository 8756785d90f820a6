// Messages to the user: toasts, and announcements for screen readers.
import { html } from './html.js';
import { sentence } from '../client/http.js';
import { route } from './router.js';
import { store, useStore } from './store.js';

// Announcements for screen readers; each replaces the previous one.
const spoken = store('');
/** @param {string} text */
export const say = (text) => {
  spoken.set('');
  setTimeout(() => spoken.set(text), 50);
};
export const Spoken = () => html`
  <div class="unseen" role="status" aria-live="polite">${useStore(spoken)}</div>
`;

// Toasts: messages at the bottom of the page, with Undo if the action can be undone.
/**
 * @typedef {object} ToastOptions
 * @property {() => void} [undo]
 * @property {(leaving: boolean) => unknown} [done]
 * @property {ToastLink} [link] where what it says can be seen
 * @property {string[]} [about] the ids of what was changed
 * @property {boolean} [here] whether it is of no use in another view
 * @property {boolean} [bad]
 * @property {number} [ms]
 */
/** @typedef {{ href: string, text: string }} ToastLink */
/**
 * @typedef {object} Toast
 * @property {number} id
 * @property {string} text
 * @property {() => void} [undo]
 * @property {ToastLink} [link]
 * @property {string[]} about
 * @property {string} [path] of the only view in which it is of use
 * @property {boolean} bad
 * @property {ReturnType<typeof setTimeout>} [timer]
 * @property {(undone: boolean, leaving?: boolean) => void} close
 * @property {() => void} hold
 * @property {() => void} release
 */
/** @type {Store<Toast[]>} */
const toasts = store([]);
const UNDO_MS = 8000;
const MOST = 4; // messages at the same time
let nextToast = 1;

// toast shows a message. Errors stay until they are dismissed. The others disappear after some time, which
// does not pass while the pointer or the focus is on one of them, or the tab is hidden. If a message
// disappears without undo, done() runs; while the page is being closed, done(true). A message that only
// informs gives way to the next one, and an error is shown once, so that they do not pile up. So does one
// whose Undo is overtaken by the next one, as both are about the same.
/**
 * @param {string} text
 * @param {ToastOptions} [options]
 */
export function toast(text, { undo, done, link, about = [], here, bad = false, ms = UNDO_MS } = {}) {
  const id = nextToast++;
  /** @type {Toast} */
  const entry = {
    id,
    text,
    undo,
    link,
    about,
    path: here ? route.get().path : undefined,
    bad,
    close(undone, leaving = false) {
      if (!toasts.get().includes(entry)) return;
      clearTimeout(entry.timer);
      toasts.set(toasts.get().filter((t) => t !== entry));
      if (undone) undo?.();
      else done?.(leaving);
    },
    hold: () => clearTimeout(entry.timer),
    release() {
      entry.hold();
      if (!bad) entry.timer = setTimeout(() => entry.close(false), ms);
    },
  };
  if (document.visibilityState === 'visible') entry.release();
  for (const old of toasts.get()) if (bad ? old.bad && old.text === text : isPlain(old)) old.close(false);
  overtake(about);
  toasts.set([...toasts.get(), entry]);
  for (const old of toasts.get().slice(0, -MOST)) old.close(false);
  return entry;
}
/** @param {Toast} t */
const isPlain = ({ undo, bad }) => !undo && !bad;

// overtake removes the messages whose Undo would now undo something else, or fail.
/** @param {string[]} about the ids of what was changed again */
function overtake(about) {
  for (const t of toasts.get()) if (t.undo && t.about.some((id) => about.includes(id))) t.close(false);
}
route.follow(({ path }) => {
  for (const t of toasts.get()) if (t.path !== undefined && t.path !== path) t.close(false);
});
/** @param {unknown} error */
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
              t.link &&
              html`
                <a href=${t.link.href} onClick=${() => t.close(false)}>${t.link.text}</a>
              `
            }
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
