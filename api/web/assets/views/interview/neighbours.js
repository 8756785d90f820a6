// The way from one interview of a project to the next one, in the order in which they were uploaded.
import { list } from '../../client/api.js';
import { problem, say } from '../../page/messages.js';
import { go } from '../../page/router.js';

// hop opens the next interview or, with -1, the previous one.
/** @param {string} projectId @param {string} importId @param {1 | -1} by */
export async function hop(projectId, importId, by) {
  try {
    const of = { project_id: `eq.${projectId}`, select: 'id', order: 'created_at,id' };
    const ids = (await list('imports', of)).map(({ id }) => id);
    const at = ids.indexOf(importId);
    const next = at < 0 ? undefined : ids[at + by];
    if (next) go(`/imports/${next}`);
    else say(by > 0 ? 'This is the last interview.' : 'This is the first interview.');
  } catch (error) {
    problem(error);
  }
}
