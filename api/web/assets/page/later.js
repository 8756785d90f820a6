// Loads the code of a view after the first view has loaded, or earlier if the view is shown.
import { html, useCallback, useEffect, useState } from './html.js';
import { Loading, Problem } from './ui.js';
import { offline } from '../client/http.js';

/** @type {(() => Promise<void>)[]} */
const all = [];
const AFTER_MS = 2000;

// later returns a component whose code load() imports.
/** @template {object} P @param {() => Promise<Component<P>>} load */
export function later(load) {
  /** @type {Component<P> | null} */
  let View = null;
  const come = async () => {
    View ??= await load();
  };
  all.push(come);
  return /** @param {P} props */ function Later(props) {
    const [state, setState] = useState(/** @type {'here' | 'lost' | null} */ (null));
    const ask = useCallback(() => {
      setState(null);
      come().then(
        () => setState('here'),
        () => setState('lost'),
      );
    }, []);
    useEffect(() => {
      if (!View) ask();
    }, []);
    if (View)
      return html`
        <${View} ...${props} />
      `;
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
