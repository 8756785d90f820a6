// The memo and the comments of a quote or a theme.
import { useEffect } from '../../page/html.js';
import { call, insert, list, one, update } from '../../client/api.js';
import { follow } from '../../client/subscriptions.js';
import { useLoad } from '../../page/load.js';
import { findProject, places } from '../../page/places.js';
import { useStore } from '../../page/store.js';
import { atLeast } from '../../page/words.js';

const columns =
  'id,evidence_id,theme_id,body,mentions,created_by,created_at,edited_at,' +
  'author:profiles!comments_created_by_fkey(id,display_name)';

/** @typedef {{ table: 'evidence' | 'themes', key: 'evidence_id' | 'theme_id', id: string }} About */

// aboutOf says what is written about: a quote or a theme.
/** @param {string | undefined} evidence @param {string | undefined} theme @returns {About} */
export const aboutOf = (evidence, theme) =>
  evidence
    ? { table: 'evidence', key: 'evidence_id', id: evidence }
    : { table: 'themes', key: 'theme_id', id: theme ?? '' };

/** @param {string} workspace @param {AbortSignal} [signal] */
async function membersOf(workspace, signal) {
  const rows = await list(
    'workspace_members',
    {
      workspace_id: `eq.${workspace}`,
      select: 'user_id,profiles(display_name,email)',
      order: 'created_at,user_id',
    },
    { signal },
  );
  return rows.map(({ user_id: id, profiles: p }) => ({
    id,
    name: p?.display_name || p?.email || '',
    email: p?.email ?? '',
  }));
}

const FITS = 2000; // characters of a memo that an address can have, also behind proxies

// replaceMemo changes a memo if it is still as it was before. It returns what it is then: what somebody else
// wrote meanwhile, if it is another.
/** @param {About} about @param {string} before @param {string} text @returns {Promise<string>} */
async function replaceMemo({ table, id }, before, text) {
  const memoNow = async () => (await one(table, { id: `eq.${id}`, select: 'memo' }))?.memo ?? before;
  if (before.length > FITS) {
    const now = await memoNow();
    if (now !== before) return now;
  }
  const only = new URLSearchParams({
    id: `eq.${id}`,
    ...(before.length <= FITS && { memo: `eq.${before}` }),
    select: 'id',
  });
  const { body } = await call(`/rest/v1/${table}?${only}`, {
    method: 'PATCH',
    json: { memo: text },
    headers: { Prefer: 'return=representation' },
  });
  if (body?.length) return text;
  const now = await memoNow();
  if (now === before)
    throw new Error('The memo was not saved: what it is about was deleted, or you can only read here.');
  return now;
}

// useNotes loads what is written about a quote or a theme, and follows the comments of others.
/** @param {string} project @param {About} about */
export function useNotes(project, { table, key, id }) {
  const all = useStore(places);
  const workspace = findProject(all, project)?.workspace;
  const memo = useLoad(
    async (signal) => (await one(table, { id: `eq.${id}`, select: 'memo' }, { signal }))?.memo ?? '',
    [table, id],
  );
  const comments = useLoad(
    (signal) => list('comments', { [key]: `eq.${id}`, select: columns, order: 'created_at,id' }, { signal }),
    [key, id],
  );
  const members = useLoad(
    async (signal) => (workspace ? membersOf(workspace.id, signal) : []),
    [workspace?.id],
  );
  useEffect(
    () =>
      follow('/api/events', {
        onEvent: ({ type }) => {
          if (type === 'comment.created' || type === 'reset') comments.reload();
        },
        onState() {},
      }),
    [key, id],
  );
  return {
    canEdit: !!workspace && atLeast(workspace.role, 'editor'),
    memo,
    comments,
    members: members.data ?? [],
    // everybody returns the members as soon as they are known, so that nobody is left out.
    everybody: async () => members.data ?? (workspace ? membersOf(workspace.id) : []),
    // saveMemo returns the memo as it is then: what somebody else wrote meanwhile stays.
    /** @param {string} before @param {string} text */
    async saveMemo(before, text) {
      const now = await replaceMemo({ table, key, id }, before, text);
      memo.set(() => now);
      return now;
    },
    /** @param {string} body @param {string[]} mentions */
    async add(body, mentions) {
      const row = await insert('comments', { [key]: id, project_id: project, body, mentions }, columns);
      comments.set((now) => [...now.filter((c) => c.id !== row.id), row]);
    },
    /** @param {Comment} comment @param {string} body @param {string[]} mentions */
    async edit({ id: comment }, body, mentions) {
      const row = await update('comments', { id: `eq.${comment}` }, { body, mentions }, columns);
      comments.set((now) => now.map((c) => (c.id === row.id ? row : c)));
    },
    /** @param {Comment} comment */
    hide: (comment) => comments.set((now) => now.filter((c) => c.id !== comment.id)),
  };
}
