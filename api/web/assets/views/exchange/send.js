// Sends the file of another program.
import { bearer, config, refresh } from '../../client/session.js';
import { ApiError, failure, offline } from '../../client/http.js';

// sendProject imports a file into a project, or says what would come.
/** @param {string} project @param {File} file @param {boolean} dryRun @returns {Promise<ProjectImport>} */
export async function sendProject(project, file, dryRun) {
  const attempt = async () => {
    const body = new FormData();
    body.append('file', file, file.name);
    return fetch(`/api/project/${project}/refi${dryRun ? '?dry_run=true' : ''}`, {
      method: 'POST',
      credentials: 'omit',
      headers: { apikey: config.anonKey, Authorization: `Bearer ${await bearer()}` },
      body,
    });
  };
  try {
    let response = await attempt();
    if (response.status === 401) {
      await refresh();
      response = await attempt();
    }
    const answer = await response.json().catch(() => null);
    if (response.ok && answer) return answer;
    throw failure(response.status, answer, response.headers.get('Retry-After'));
  } catch (error) {
    throw error instanceof ApiError ? error : offline();
  }
}
