// The button and the keys that open the search in the current project.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { route } from '../../page/router.js';
import { useStore } from '../../page/store.js';
import { offline } from '../../client/http.js';
import { Icon } from '../../page/icons.js';
import { style } from '../../page/later.js';
import { dialogOpen } from '../../page/dialog.js';
import { problem } from '../../page/messages.js';

const apple = /Mac|iP(hone|ad|od)/.test(navigator.platform);

const search = async () => (await import('../search/search.js')).Search;

// useSearch returns a function that opens the search, and the search while it is open. Ctrl K, ⌘K and an
// address with a search open it.
/** @param {{ workspace?: Workspace, project?: Project }} [where] */
export function useSearch({ workspace, project } = {}) {
  const [opened, setOpened] = useState(/** @type {{ View: Component<any> } | null} */ (null));
  const typing = useRef(/** @type {(() => string) | null} */ (null));
  const open = async () => {
    typing.current ??= collectLetters();
    try {
      const [View] = await Promise.all([search(), style()]);
      setOpened({ View });
    } catch {
      typed();
      problem(offline());
    }
  };
  // typed returns what was typed since the search was asked for, and stops collecting.
  const typed = () => {
    const text = typing.current?.();
    typing.current = null;
    return text ?? '';
  };
  // The keys work as soon as the project is shown.
  useLayoutEffect(() => {
    setOpened(null);
    typed();
    if (!project) return undefined;
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault(); // browsers search the web with it
      if (!dialogOpen()) open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [project?.id]);
  const { path, query } = useStore(route);
  const isAsked = query.has('search');
  useEffect(() => {
    if (project && isAsked && !dialogOpen()) open();
  }, [project?.id, path, isAsked]);
  const shown =
    opened &&
    project &&
    html`
      <${opened.View}
        workspace=${workspace}
        project=${project}
        typed=${typed}
        onClose=${() => setOpened(null)}
      />
    `;
  return { open, shown };
}

// collectLetters keeps letters from the view below, where they are shortcuts, until the returned function is
// called, which returns them.
function collectLetters() {
  let text = '';
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    text += event.key;
  };
  document.addEventListener('keydown', onKey, true);
  return () => {
    document.removeEventListener('keydown', onKey, true);
    return text;
  };
}

/** @param {{ open: () => void }} props */
export const SearchButton = ({ open }) => html`
  <button class="find-button" aria-keyshortcuts="Control+K Meta+K" onClick=${open}>
    <${Icon} name="search" />
    <span>Search</span>
    <kbd aria-hidden="true">${apple ? '⌘K' : 'Ctrl K'}</kbd>
  </button>
`;
