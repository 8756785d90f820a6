// The entry point: shows the sign-in form, or the view that belongs to the address.
import { html, render, useErrorBoundary, useEffect } from './page/html.js';
import { useStore } from './page/store.js';
import { match, route } from './page/router.js';
import { session, start } from './client/session.js';
import { Loading, Title } from './page/ui.js';
import { Spoken, Toasts } from './page/messages.js';
import { later } from './page/later.js';
import { Door } from './views/frame/signin.js';
import { Shell } from './views/frame/shell.js';
import { Home } from './views/frame/home.js';
import { Project } from './views/frame/project.js';
import { NotHere } from './views/frame/notfound.js';

const Import = later(async () => (await import('./views/interview/interview.js')).Import);
const Workspace = later(async () => (await import('./views/workspace/workspace.js')).Workspace);
const Code = later(async () => (await import('./views/account/code.js')).Code);
const Ask = later(async () => (await import('./views/account/linkowner.js')).Ask);
const Shared = later(async () => (await import('./views/findings/bylink.js')).Shared);
const Settings = later(async () => (await import('./views/account/settings.js')).Settings);

const addresses = [
  ['/', Home],
  ['/settings', Settings],
  ['/workspaces/:slug', Workspace],
  ['/projects/:id', Project],
  ['/projects/:id/:view', Project],
  ['/imports/:id', Import],
];

function Page() {
  const { phase, note } = useStore(session);
  const { path, query } = useStore(route);
  const [crash, recover] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    if (crash) recover();
  }, [path]);
  let inside;
  if (crash) {
    inside = html`
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
  } else if (path === '/shared') {
    inside = html`
      <${Shared} />
    `; // without an account
  } else if (phase === 'starting') {
    inside = html`
      <main class="alone"><${Loading} /></main>
    `;
  } else if (phase === 'unreachable') {
    inside = html`
      <main class="alone">
        <${Title}>The server cannot be reached<//>
        <p>Trying again every few seconds.</p>
      </main>
    `;
  } else if (phase === 'out') {
    inside = html`
      <${Door} note=${note} />
    `;
  } else if (phase === 'code') {
    inside = html`
      <${Code} />
    `;
  } else if (phase === 'ask') {
    inside = html`
      <${Ask} />
    `;
  } else {
    let found = null;
    for (const [pattern, View] of addresses) {
      const parts = match(pattern, path);
      if (parts) {
        found = html`
          <${View} ...${parts} query=${query} />
        `;
        break;
      }
    }
    inside = html`
      <${Shell} path=${path}>
        ${
          found ??
          html`
            <${NotHere} />
          `
        }
      <//>
    `;
  }
  return html`
    ${inside}
    <${Toasts} />
    <${Spoken} />
  `;
}

render(
  html`
    <${Page} />
  `,
  document.getElementById('page'),
);
start();
