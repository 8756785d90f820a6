// Views that the first one can do without: their code comes when the page stands, or when somebody wants them sooner.
import { html, useCallback, useEffect, useState } from './html.js';
import { Loading, Problem } from './ui.js';
import { offline } from './http.js';

const all = [];
const AFTER_MS = 2000;

// later makes a component of load(), which imports it.
export function later(load) {
  let View = null;
  const come = async () => {
    View ??= await load();
  };
  all.push(come);
  return function Later(props) {
    const [state, setState] = useState(null);
    const ask = useCallback(() => {
      setState(null);
      come().then(() => setState('here'), () => setState('lost'));
    }, []);
    useEffect(() => {
      if (!View) ask();
    }, []);
    if (View) return html`<${View} ...${props} />`;
    return html`<main class="alone" id="main">${state === 'lost' ? html`<${Problem} error=${offline()} retry=${ask} />` : html`<${Loading} />`}</main>`;
  };
}

// The rest comes by itself, so that no view waits for it and a lost connection does not close one.
window.addEventListener('load', () => setTimeout(() => all.forEach((come) => come().catch(() => {})), AFTER_MS));
