// The entry point: shows the sign-in form, or the view that belongs to the address.
import { html, render, useErrorBoundary, useEffect } from './page/html.js';
import { useStore } from './page/store.js';
import { match, route } from './page/router.js';
import { returns } from './client/carried.js';
import { session, start } from './client/session.js';
import { Loading, Title } from './page/ui.js';
import { Spoken, Toasts } from './page/messages.js';
import { later } from './page/later.js';
import { SignIn } from './views/frame/signin.js';
import { Shell } from './views/frame/shell.js';
import { Home } from './views/frame/home.js';
import { Project } from './views/frame/project.js';
import { NotFound } from './views/frame/notfound.js';

const Interview = later(async () => (await import('./views/interview/interview.js')).Import);
const Workspace = later(async () => (await import('./views/workspace/workspace.js')).Workspace);
const Code = later(async () => (await import('./views/account/code.js')).Code);
const LinkOwner = later(async () => (await import('./views/account/linkowner.js')).LinkOwner);
const FindingsByLink = later(async () => (await import('./views/findings/bylink.js')).FindingsByLink);
const Consent = later(async () => (await import('./views/consent/consent.js')).Consent);
const Settings = later(async () => (await import('./views/account/settings.js')).Settings);

/** @type {[string, Component<any>][]} */
const addresses = [
  ['/', Home],
  ['/settings', Settings],
  ['/workspaces/:slug', Workspace],
  ['/projects/:id', Project],
  ['/projects/:id/:view', Project],
  ['/imports/:id', Interview],
];

// viewOf returns the view that belongs to an address.
/** @param {string} path @param {URLSearchParams} query */
function viewOf(path, query) {
  for (const [pattern, View] of addresses) {
    const parts = match(pattern, path);
    if (parts)
      return html`
        <${View} ...${parts} query=${query} />
      `;
  }
  return html`
    <${NotFound} />
  `;
}

/** @param {{ path: string }} props */
const Crash = ({ path }) => html`
  <main class="alone">
    <${Title}>Something went wrong on this page<//>
    <p>
      <a
        href=${path}
        onClick=${(e) => {
          e.preventDefault();
          location.reload();
        }}
      >
        Reload the page
      </a>
      ${' '}to continue.
    </p>
  </main>
`;

// Inside is what the session allows to see.
/** @param {{ path: string, query: URLSearchParams }} props */
function Inside({ path, query }) {
  const { phase, note } = useStore(session);
  const consents = path === '/oauth/consent'; // without the frame: it is about the app
  if (path === '/shared')
    return html`
      <${FindingsByLink} />
    `; // without an account
  switch (phase) {
    case 'starting':
      return html`
        <main class="alone"><${Loading} /></main>
      `;
    case 'unreachable':
      return html`
        <main class="alone">
          <${Title}>The server cannot be reached<//>
          <p>Trying again every few seconds.</p>
        </main>
      `;
    case 'out':
      return html`
        <${SignIn}
          note=${note || (consents && 'An app asks for access to your account. Sign in to answer.')}
        />
      `;
    case 'code':
      return html`
        <${Code} />
      `;
    case 'ask':
      return html`
        <${LinkOwner} />
      `;
    default:
      if (consents)
        return html`
          <${Consent} query=${query} />
        `;
      return html`
        <${Shell} path=${path}>${viewOf(path, query)}<//>
      `;
  }
}

function Page() {
  const { path, query } = useStore(route);
  const [crash, recover] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    if (crash) recover();
  }, [path]);
  return html`
    ${
      crash
        ? html`
            <${Crash} path=${path} />
          `
        : html`
            <${Inside} path=${path} query=${query} />
          `
    }
    <${Toasts} />
    <${Spoken} />
  `;
}

render(
  html`
    <${Page} />
  `,
  /** @type {Element} */ (document.getElementById('page')),
);
// A sign-in with a provider leads away from the page, and back to it.
start(async () =>
  returns() ? (await import('./provider/return.js')).comeBack() : { taken: false, note: '' },
);
