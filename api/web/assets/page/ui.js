// The small components that all views share.
import { html, useEffect, useRef, useState } from './html.js';
import { sentence } from '../client/http.js';

/** @param {{ error: Error, retry?: () => void }} props */
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
/** @param {{ what?: string }} props */
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

// Waiting shows that something is loading, or why it cannot be loaded, until it is there.
/** @param {{ for: Pick<Loaded<unknown>, 'data' | 'error' | 'reload'>, what?: string }} props */
export function Waiting({ for: { data, error, reload }, what }) {
  if (error)
    return html`
      <${Problem} error=${error} retry=${reload} />
    `;
  if (data) return null;
  return html`
    <${Loading} what=${what} />
  `;
}

// Title is the main heading of a view. It sets the title of the document and takes the focus when the view
// opens.
/** @param {{ children: Children, text?: string, id?: string, class?: string }} props */
export function Title({ children, text, id, class: className = '' }) {
  /** @type {Ref<HTMLHeadingElement>} */
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

/** @param {{ title: string, children: Children }} props */
export function Empty({ title, children }) {
  return html`
    <div class="empty">
      <h2>${title}</h2>
      ${children}
    </div>
  `;
}

/** @param {{ kind?: string, title?: string, children: Children }} props */
export const Tag = ({ kind = '', title, children }) => html`
  <span class=${`tag ${kind}`} title=${title}>${children}</span>
`;

// Progress is a progress bar. Without a total it is indeterminate.
/** @param {{ done: number, total: number, label: string }} props */
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
