// The memo and the comments of a quote or a theme.
import { useEffect } from '../../page/html.js';
import { insert, list, one, update } from '../../client/api.js';
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
    async (signal) =>
      workspace
        ? (
            await list(
              'workspace_members',
              {
                workspace_id: `eq.${workspace.id}`,
                select: 'user_id,profiles(display_name,email)',
                order: 'created_at,user_id',
              },
              { signal },
            )
          ).map(({ user_id: member, profiles: p }) => ({
            id: member,
            name: p?.display_name || p?.email || '',
          }))
        : [],
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
    /** @param {string} text */
    async saveMemo(text) {
      await update(table, { id: `eq.${id}` }, { memo: text }, 'id');
      memo.set(() => text);
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
