// The frame around every view: links to workspaces, projects and settings, and signing out.
import { html, useEffect, useLayoutEffect, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { confirming, session, signOut } from '../../client/session.js';
import { shownName } from '../../client/user.js';
import { findProject, here, loadPlaces, places as loaded } from '../../page/places.js';
import { later } from '../../page/later.js';
import { useLoad } from '../../page/load.js';
import { Icon } from '../../page/icons.js';
import { Waiting } from '../../page/ui.js';
import { settle } from '../../page/messages.js';
import { SearchButton, useSearch } from './searchbutton.js';
import { Sections, Tabs } from './sections.js';

const Prove = later(async () => (await import('../account/prove.js')).Prove, { bare: true, unseen: true });

/** @param {{ path: string, children: Children }} props */
export function Shell({ path, children }) {
  const user = /** @type {User} */ (useStore(session).user);
  const all = useStore(loaded);
  const projectId = useStore(here);
  const asked = useStore(confirming);
  const [open, setOpen] = useState(false);
  const { error, reload } = useLoad(loadPlaces, [user.id]);
  useLayoutEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!open) return undefined;
    const close = (/** @type {KeyboardEvent} */ e) => {
      if (e.key === 'Escape') setOpen(false);
    };
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
          /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus();
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
            <${SearchButton} open=${search.open} />
          `
        }
      </header>
      ${
        open &&
        html`
          <div class="shade" onClick=${() => setOpen(false)}></div>
        `
      }
      <${Side} ...${{ path, open, current, all, user }} onSearch=${search.open} />
      <div class="view">
        ${
          current &&
          html`
            <${Tabs} projectId=${projectId} path=${path} />
          `
        }
        ${
          all
            ? children
            : html`
                <main class="alone"><${Waiting} for=${{ data: all, error, reload }} /></main>
              `
        }
      </div>
      ${search.shown}
      ${
        asked &&
        html`
          <${Prove} onLost=${asked} />
        `
      }
    </div>
  `;
}

/**
 * @param {object} props
 * @param {string} props.path
 * @param {boolean} props.open
 * @param {{ workspace: Workspace, project: Project } | null} props.current
 * @param {Workspace[] | null} props.all
 * @param {User} props.user
 * @param {() => void} props.onSearch
 */
function Side({ path, open, current, all, user, onSearch }) {
  return html`
    <aside id="side" aria-label="Sidebar" class=${'side' + (open ? ' open' : '')}>
      <a class="brand" href="/">
        <span class="mark" aria-hidden="true"></span>
        Research
      </a>
      ${
        current &&
        html`
          <${SearchButton} open=${onSearch} />
        `
      }
      <${Places} places=${all} path=${path} current=${current?.project.id} />
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
        <span class="who" title=${shownName(user)}><bdi>${shownName(user)}</bdi></span>
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
  `;
}

// Places lists the workspaces and their projects. current is the id of the current project.
/** @param {{ places: Workspace[] | null, path: string, current: string | undefined }} props */
const Places = ({ places, path, current }) => html`
  <nav aria-label="Projects" class="places">
    ${places?.map(
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
              .filter((p) => p.status !== 'archived' || p.id === current)
              .map(
                (p) => html`
                  <li key=${p.id} class=${p.id === current ? 'open' : ''}>
                    <a href=${`/projects/${p.id}`} aria-current=${p.id === current ? 'true' : undefined}>
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
`;
