// The themes of a project, as everything on the page shows them.
import { useEffect, useMemo } from '../../page/html.js';
import { store, useStore } from '../../page/store.js';
import { follow } from '../../client/subscriptions.js';
import { themesOf } from '../../client/themes.js';

const SOON_MS = 200; // so that several events are answered at once
const LINGER_MS = 2000;

/** @typedef {Store<{ themes: Theme[] | null, error: unknown }>} Rows */
/** @typedef {{ rows: Rows, users: number, stop: () => void, reload: () => Promise<void> }} Shared */

/** @type {Map<string, Shared>} */
const shared = new Map(); // by project

// isAbout reports whether an event says that the themes of a project, or their quotes, changed.
/** @param {ServerEvent} event @param {string} project */
export const isAbout = ({ type, data }, project) =>
  type === 'reset' || (type.startsWith('theme.') && data.data.projectId === project);

/** @param {string} project @returns {Shared} */
function begin(project) {
  const rows = /** @type {Rows} */ (store({ themes: null, error: null }));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  async function reload() {
    clearTimeout(timer);
    try {
      rows.set({ themes: await themesOf(project), error: null });
    } catch (error) {
      rows.set({ themes: rows.get().themes, error });
    }
  }
  const stop = follow('/api/events', {
    onEvent(event) {
      if (!isAbout(event, project)) return;
      clearTimeout(timer);
      timer = setTimeout(reload, SOON_MS);
    },
    onState() {},
  });
  reload();
  return {
    rows,
    users: 0,
    reload,
    stop() {
      clearTimeout(timer);
      stop();
    },
  };
}

/** @param {string} project */
function join(project) {
  const one = shared.get(project) ?? begin(project);
  shared.set(project, one);
  return one;
}

// leave stops following the themes when nobody has shown them for a moment: what is drawn anew follows on.
/** @param {string} project @param {Shared} one */
function leave(project, one) {
  one.users--;
  setTimeout(() => {
    if (one.users > 0 || shared.get(project) !== one) return;
    one.stop();
    shared.delete(project);
  }, LINGER_MS);
}

// useThemes returns the themes of a project, with any status, by their positions: none until they are loaded.
// put shows one that was just made or changed, and isNew tells one that is not there yet.
/** @param {string} project */
export function useThemes(project) {
  const one = join(project);
  useEffect(() => {
    one.users++;
    return () => leave(project, one);
  }, [project]);
  const { themes, error } = useStore(one.rows);
  const byId = useMemo(() => new Map((themes ?? []).map((t) => [t.id, t])), [themes]);
  return {
    themes: themes ?? none,
    loaded: themes !== null,
    error,
    byId,
    reload: one.reload,
    /** @param {Theme} theme */
    put(theme) {
      const now = one.rows.get().themes ?? [];
      one.rows.set({
        themes: now.some((t) => t.id === theme.id)
          ? now.map((t) => (t.id === theme.id ? theme : t))
          : [...now, theme],
        error: null,
      });
    },
    /** @param {string} id */
    drop(id) {
      one.rows.set({ themes: (one.rows.get().themes ?? []).filter((t) => t.id !== id), error: null });
    },
    /** @param {string} id */
    isNew: (id) => !(one.rows.get().themes ?? []).some((t) => t.id === id),
  };
}

/** @type {Theme[]} */
const none = [];

// linksOf returns the themes of a quote that nobody rejected.
/** @param {{ evidence_themes?: QuoteTheme[] }} e @returns {QuoteTheme[]} */
export const linksOf = ({ evidence_themes: links = [] }) => links.filter((l) => l.review !== 'rejected');

// isLoose reports whether a quote belongs to no hypothesis and no theme.
/** @param {{ evidence_hypotheses: unknown[], evidence_themes?: QuoteTheme[] }} e */
export const isLoose = (e) => e.evidence_hypotheses.length === 0 && linksOf(e).length === 0;
