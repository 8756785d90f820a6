// What a workspace stores and has used today, and what it may, for its owners and admins.
import { html } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { count, percent, size } from '../../page/words.js';

// From this share on, a limit is near.
const NEAR = 0.8;

/** @type {Record<string, string>} */
const exhausted = {
  storage:
    'The storage is full. Delete interviews that are no longer needed, and delete them for good under ' +
    'Recently deleted, or ask the operator for more.',
  uploads: 'No more interviews can be uploaded today. Uploads continue at 00:00 UTC.',
  tokens: 'The AI tokens of today are used up. Interviews that wait are analysed from 00:00 UTC on.',
};

/** @param {{ workspace: Workspace }} props */
export function Usage({ workspace }) {
  const usage = useLoad(
    async (signal) => (await rpc('workspace_usage', { workspace: workspace.id }, { signal }))[0],
    [workspace.id],
  );
  const u = usage.data;
  return html`
    <h2>Usage</h2>
    <${Waiting} for=${usage} />
    ${
      u &&
      html`
        ${u.exhausted.map(
          (what) => html`
            <p key=${what} role="status">${exhausted[what]}</p>
          `,
        )}
        <ul class="plain">
          <${Used} what="of storage" used=${u.storage_bytes} limit=${u.storage_limit} format=${size} />
          <${Used}
            what="uploaded today"
            used=${u.uploads_today}
            limit=${u.uploads_limit}
            format=${(/** @type {number} */ n) => count(n, 'interview')}
          />
          <${Used}
            what="used today"
            used=${u.tokens_used + u.tokens_reserved}
            limit=${u.tokens_limit}
            format=${(/** @type {number} */ n) => count(n, 'AI token')}
          />
        </ul>
      `
    }
  `;
}

/** @param {{ what: string, used: number, limit: number | null, format: (n: number) => string }} props */
function Used({ what, used, limit, format }) {
  const near = limit !== null && used >= NEAR * limit;
  return html`
    <li>
      ${`${format(used)} ${what}`}
      ${
        limit !== null &&
        html`
          <span class=${near ? '' : 'faint'}>
            ${`, ${percent(Math.min(1, used / limit))} of ${format(limit)}`}${near && ': the limit is near'}
          </span>
        `
      }
    </li>
  `;
}
