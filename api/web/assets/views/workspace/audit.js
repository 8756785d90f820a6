// The audit log of a workspace, for its owners and admins.
import { html, useState } from '../../page/html.js';
import { call, list } from '../../client/api.js';
import { csv } from '../export/csv.js';
import { save } from '../export/save.js';
import { useLoad } from '../../page/load.js';
import { count, dateTime, number, roles } from '../../page/words.js';
import { Choice } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { problem } from '../../page/messages.js';

const PAGE = 50;

const actions = {
  '': 'Everything',
  signed_in: 'Sign-ins',
  app_connected: 'Connected apps',
  member_added: 'New members',
  member_removed: 'Removed members',
  role_changed: 'Roles',
  invited: 'Invitations',
  invitation_ended: 'Ended invitations',
  settings_changed: 'Settings',
  exported: 'Exports',
  findings_shared: 'Links to findings',
  findings_unshared: 'Revoked links',
  deleted: 'Deletions',
  restored: 'Restored interviews',
  tokens_low: 'Warnings about tokens',
  'mcp.*': 'Assistants',
};

/** @type {Record<string, string>} */
const settingNames = {
  name: 'the name',
  slug: 'the address',
  require_mfa: 'whether a second factor is required',
  check_speakers: 'whether the model is asked about doubtful speakers',
};
// matching is a condition on the column action; * is anything.
/** @param {string} action */
const matching = (action) => `${action.endsWith('*') ? 'like' : 'eq'}.${action}`;

/** @param {Role | undefined} value */
const role = (value) => (value ? (roles[value] ?? '') : '').toLowerCase();

// what describes a record. nameOf returns the name of a member.
/** @param {AuditRecord} record @param {(id: string) => string} nameOf */
function what({ action, target_type: type, target_id: id, detail: d, network, client }, nameOf) {
  switch (action) {
    case 'signed_in': {
      const program = client === 'other' ? 'another program' : client;
      return `signed in${program ? ` with ${program}` : ''}${network ? ` from ${network}` : ''}`;
    }
    case 'app_connected':
      return `gave access to ${client || 'an app'}`;
    case 'member_added':
      return `added ${nameOf(id)} as ${role(d?.role)}`;
    case 'member_removed':
      return `removed ${nameOf(id)}`;
    case 'role_changed':
      return `changed the role of ${nameOf(id)} from ${role(d?.from)} to ${role(d?.to)}`;
    case 'invited':
      return `invited ${d?.email} as ${role(d?.role)}`;
    case 'invitation_ended':
      return `ended the invitation of ${d?.email}`;
    case 'settings_changed':
      return `changed ${(d?.settings ?? []).map((name) => settingNames[name] ?? name).join(', ')}`;
    case 'exported':
      return `exported ${count(d?.quotes ?? 0, 'quote')} as ${d?.format}`;
    case 'findings_shared':
      return `made a link to ${d?.report ? 'a report' : 'findings'}${d?.show_names ? ', with names' : ''}`;
    case 'findings_unshared':
      return `revoked a link to ${d?.report ? 'a report' : 'findings'}`;
    case 'deleted':
      return (
        `deleted ${type === 'evidence' ? 'a quote' : type === 'import' ? 'an interview' : `a ${type}`}` +
        (d?.for_good ? ' for good' : '')
      );
    case 'restored':
      return 'restored an interview';
    case 'tokens_low':
      return `used ${number(d?.used ?? 0)} of ${number(d?.limit ?? 0)} AI tokens of the day`;
    default:
      if (action.startsWith('mcp.'))
        return `used ${action.slice(4).replaceAll('_', ' ')} through ${client || 'an assistant'}`;
      return action.replaceAll('_', ' ');
  }
}

// The columns of the CSV.
/** @type {[string, (record: AuditRecord) => string | null][]} */
const columns = [
  ['id', ({ id }) => id],
  ['occurred_at', ({ occurred_at: at }) => at],
  ['actor_id', ({ actor_id: id }) => id],
  ['actor_email', ({ actor_email: email }) => email],
  ['action', ({ action }) => action],
  ['target_type', ({ target_type: type }) => type],
  ['target_id', ({ target_id: id }) => id],
  ['detail', ({ detail }) => detail && JSON.stringify(detail)],
  ['network', ({ network }) => network],
  ['client', ({ client }) => client],
];

// Audit shows the records of a workspace, newest first. members are its members.
/** @param {{ workspace: Workspace, members: Member[] }} props */
export function Audit({ workspace, members }) {
  const [open, setOpen] = useState(false);
  return html`
    <details class="audit" onToggle=${(e) => setOpen(e.currentTarget.open)}>
      <summary><h2>Audit log</h2></summary>
      ${
        open &&
        html`
          <${Records} workspace=${workspace} members=${members} />
        `
      }
    </details>
  `;
}

/** @param {{ workspace: Workspace, members: Member[] }} props */
function Records({ workspace, members }) {
  const [action, setAction] = useState('');
  const [shown, setShown] = useState(PAGE);
  const filter = action && `&action=${matching(action)}`;
  const path = `/rest/v1/rpc/audit_log?workspace=${workspace.id}&order=occurred_at.desc,id${filter}`;
  /** @type {Loaded<AuditRecord[]>} */
  const log = useLoad(
    async (signal) => (await call(`${path}&limit=${shown + 1}`, { signal })).body,
    [path, shown],
  );
  const names = new Map(
    members.map((m) => [m.user_id, m.profiles?.display_name || m.profiles?.email || 'a member']),
  );
  /** @param {string} id */
  const nameOf = (id) => names.get(id) ?? 'a former member';
  async function download() {
    try {
      // The oldest come first, so that records that are added meanwhile do not shift the pages.
      const filter = {
        workspace: workspace.id,
        order: 'occurred_at,id',
        action: action ? matching(action) : undefined,
      };
      const records = await list('rpc/audit_log', filter);
      save('audit-log.csv', 'text/csv;charset=utf-8', csv(columns, records.reverse()));
    } catch (error) {
      problem(error);
    }
  }
  return html`
    <div class="records">
      <div class="line">
        <${Choice}
          label="Show"
          value=${action}
          options=${actions}
          onChange=${(value) => {
            setAction(value);
            setShown(PAGE);
          }}
        />
        <button onClick=${download}>Download as CSV</button>
      </div>
      <${Waiting} for=${log} />
      ${
        log.data?.length === 0 &&
        html`
          <p class="faint">Nothing is recorded.</p>
        `
      }
      <ol>
        ${log.data?.slice(0, shown).map(
          (r) => html`
            <li key=${r.id}>
              <span class="faint">${dateTime(r.occurred_at)}</span>
              <span dir="auto">
                <b>${names.get(r.actor_id ?? '') || r.actor_email || 'The service, or a deleted account'}</b>
                ${` ${what(r, nameOf)}`}
              </span>
            </li>
          `,
        )}
      </ol>
      ${
        log.data &&
        log.data.length > shown &&
        html`
          <button onClick=${() => setShown(shown + PAGE)}>Show more</button>
        `
      }
    </div>
  `;
}
