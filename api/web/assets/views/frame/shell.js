// The frame around every view: links to workspaces, projects and settings, and signing out.
import { html, useEffect, useLayoutEffect, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { session, signOut } from '../../client/session.js';
import { findProject, here, loadPlaces, places } from '../../page/places.js';
import { useLoad } from '../../page/load.js';
import { Icon } from '../../page/icons.js';
import { Loading, Problem } from '../../page/ui.js';
import { settle } from '../../page/messages.js';
import { FindButton, useSearch } from './searchbutton.js';
import { Links, Sections } from './sections.js';

export function Shell({ path, children }) {
  const { user } = useStore(session);
  const all = useStore(places);
  const projectId = useStore(here);
  const [open, setOpen] = useState(false);
  const { error, reload } = useLoad(loadPlaces, [user.id]);
  useLayoutEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!open) return undefined;
    const close = (e) => e.key === 'Escape' && setOpen(false);
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [open]);
  const current = findProject(all, projectId);
  const search = useSearch(current ?? undefined);
  return html`
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick=${(e) => {
          e.preventDefault();
          document.querySelector('main h1')?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="topbar">
        <button
          class="quiet icon"
          aria-label="Menu"
          aria-expanded=${open}
          aria-controls="side"
          onClick=${() => setOpen(!open)}
        >
          <span class="menu-icon" aria-hidden="true"></span>
        </button>
        <span class="where" dir="auto">${current?.project.name ?? 'Research'}</span>
        ${
          current &&
          html`
            <${FindButton} open=${search.open} />
          `
        }
      </header>
      ${
        open &&
        html`
          <div class="shade" onClick=${() => setOpen(false)}></div>
        `
      }
      <aside id="side" aria-label="Sidebar" class=${'side' + (open ? ' open' : '')}>
        <a class="brand" href="/">
          <span class="mark" aria-hidden="true"></span>
          Research
        </a>
        ${
          current &&
          html`
            <${FindButton} open=${search.open} />
          `
        }
        <nav aria-label="Projects" class="places">
          ${all?.map(
            (w) => html`
              <div class="place" key=${w.id}>
                <a
                  class="workspace"
                  href=${`/workspaces/${w.slug}`}
                  aria-current=${path === `/workspaces/${w.slug}` ? 'page' : undefined}
                >
                  <span dir="auto">${w.name}</span>
                </a>
                <ul>
                  ${w.projects
                    .filter((p) => p.status !== 'archived' || p.id === projectId)
                    .map(
                      (p) => html`
                        <li key=${p.id} class=${p.id === projectId ? 'open' : ''}>
                          <a
                            href=${`/projects/${p.id}`}
                            aria-current=${p.id === projectId ? 'true' : undefined}
                          >
                            <${Icon} name="folder" />
                            <span dir="auto">${p.name}</span>
                          </a>
                        </li>
                      `,
                    )}
                </ul>
              </div>
            `,
          )}
        </nav>
        ${
          current &&
          html`
            <${Sections} ...${current} path=${path} />
          `
        }
        <div class="self">
          <a href="/settings" aria-current=${path === '/settings' ? 'page' : undefined}>
            <${Icon} name="gear" />
            <span>Settings</span>
          </a>
          <span class="who" dir="auto" title=${user.email}>${user.email}</span>
          <button
            class="link"
            onClick=${() => {
              settle();
              signOut();
            }}
          >
            Sign out
          </button>
        </div>
      </aside>
      <div class="view">
        ${
          current &&
          html`
            <nav class="tabs" aria-label="Project">
              <${Links} projectId=${projectId} path=${path} />
            </nav>
          `
        }
        ${
          all
            ? children
            : error
              ? html`
                  <main class="alone"><${Problem} error=${error} retry=${reload} /></main>
                `
              : html`
                  <main class="alone"><${Loading} /></main>
                `
        }
      </div>
      ${search.shown}
    </div>
  `;
}
