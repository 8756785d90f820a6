// The workspaces and projects that the user may see, and the current project.
import { store } from './store.js';
import { list } from '../client/api.js';
import { session } from '../client/session.js';

// null until loaded
/** @type {Store<Workspace[] | null>} */
export const places = store(null);

// The id of the current project; the address of an interview does not contain it.
/** @type {Store<string | null>} */
export const here = store(null);

let asked = 0;

/** @param {AbortSignal} [signal] */
export async function loadPlaces(signal) {
  const mine = ++asked;
  const rows = await list(
    'workspace_members',
    {
      select:
        'role,workspaces(id,name,slug,require_mfa,check_speakers,' +
        'projects(id,name,description,stage,status,created_at))',
      user_id: `eq.${session.get().user?.id}`,
      order: 'created_at,workspace_id',
    },
    { signal },
  );
  const all = rows
    .filter((row) => row.workspaces)
    .map(({ role, workspaces: w }) => ({
      ...w,
      role,
      projects: [...w.projects].sort((a, b) => a.created_at.localeCompare(b.created_at)),
    }));
  if (mine === asked) places.set(all); // otherwise a later answer is under way, or here
  return all;
}

session.follow(({ phase }) => {
  if (phase === 'out') {
    places.set(null);
    here.set(null);
  }
});

/** @param {Workspace[] | null} all @param {string | null} id */
export function findProject(all, id) {
  for (const workspace of all ?? []) {
    const project = workspace.projects.find((p) => p.id === id);
    if (project) return { workspace, project };
  }
  return null;
}
