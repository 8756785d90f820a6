// Loads the code of a view after the first view has loaded, or earlier if the view is shown.
import { html, useCallback, useEffect, useState } from './html.js';
import { Loading, Problem } from './ui.js';
import { offline } from '../client/http.js';

/** @type {(() => Promise<void>)[]} */
const all = [];
const AFTER_MS = 2000;

/** @type {Promise<unknown> | undefined} */
let styled;

// style loads the sheets to which index.html gives no address yet: those of the views that come later. They
// keep their places among the sheets.
export function style() {
  /** @type {NodeListOf<HTMLLinkElement>} */
  const links = document.querySelectorAll('link[data-href]:not([href])');
  styled ??= Promise.all([...links].map(sheet)).catch((error) => {
    styled = undefined;
    throw error;
  });
  return styled;
}

// sheet loads a sheet; after a failure, it can be asked for again.
/** @param {HTMLLinkElement} link */
const sheet = (link) =>
  new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      link.removeAttribute('href');
      reject(offline());
    };
    link.href = link.dataset.href ?? '';
  });

// later returns a component whose code load() imports. It is shown when the sheets have come as well, unless
// it is bare: parts of the first view do not need them. One that is unseen shows nothing until it is there,
// and calls onLost(error) if it does not come.
/** @typedef {{ bare?: boolean, unseen?: boolean }} Kind */
/** @template {object} P @param {() => Promise<Component<P>>} load @param {Kind} [kind] */
export function later(load, { bare = false, unseen = false } = {}) {
  /** @type {Component<P> | null} */
  let View = null;
  const come = async () => {
    const [Loaded] = await Promise.all([View ?? load(), bare ? null : style()]);
    View = Loaded;
  };
  all.push(come);
  return /** @param {P & { onLost?: (error: Error) => void }} props */ function Later(props) {
    const [state, setState] = useState(/** @type {'here' | 'lost' | null} */ (null));
    const ask = useCallback(() => {
      setState(null);
      come().then(
        () => setState('here'),
        () => {
          setState('lost');
          props.onLost?.(offline());
        },
      );
    }, []);
    useEffect(() => {
      if (!View) ask();
    }, []);
    if (View)
      return html`
        <${View} ...${props} />
      `;
    if (unseen) return null;
    return html`
      <main class="alone" id="main">
        ${
          state === 'lost'
            ? html`
                <${Problem} error=${offline()} retry=${ask} />
              `
            : html`
                <${Loading} />
              `
        }
      </main>
    `;
  };
}

// All views are loaded in the background, so that they open without delay and without a connection.
window.addEventListener('load', () =>
  setTimeout(() => all.forEach((come) => come().catch(() => {})), AFTER_MS),
);
