// The export of one's own data, and the deletion of one's account.
import { html, useState } from '../../page/html.js';
import { download, list } from '../../client/api.js';
import { save } from '../export/save.js';
import { abandon } from '../judging/unsaved.js';
import { useLoad } from '../../page/load.js';
import { deleteAccount } from '../../client/session.js';
import { atLeast, count, roles } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { problem } from '../../page/messages.js';

/** @param {{ user: User }} props */
export function Account({ user }) {
  const [busy, setBusy] = useState(false);
  const [file, setFile] = useState(/** @type {Blob | null} */ (null));
  const [deleting, setDeleting] = useState(false);
  const saveFile = (/** @type {Blob} */ content) => save('research-account.zip', 'application/zip', content);
  async function fetchData() {
    setBusy(true);
    try {
      const content = await download('/api/account/export');
      setFile(content);
      saveFile(content);
    } catch (error) {
      problem(error);
    }
    setBusy(false);
  }
  return html`
    <section class="card" aria-labelledby="your-data">
      <h2 id="your-data">Your data</h2>
      <p class="faint">
        A zip with your profile, sign-ins, memberships, uploads, judgements, decisions and digests, one file
        for each, in the format JSON Lines. Your evidence and hypotheses are exported from their projects.
      </p>
      <div class="actions">
        ${
          file &&
          html`
            <span class="faint" role="status">
              Your data is in research-account.zip.${' '}
              <button class="link" onClick=${() => saveFile(file)}>Save again</button>
            </span>
          `
        }
        <button disabled=${busy} onClick=${fetchData}>${busy ? 'Exporting…' : 'Export your data'}</button>
      </div>
    </section>
    <section class="card" aria-labelledby="delete-account">
      <h2 id="delete-account">Delete your account</h2>
      <p class="faint">You see what is deleted, and what stays, before you confirm.</p>
      <div class="actions">
        <button class="danger" onClick=${() => setDeleting(true)}>Delete account…</button>
      </div>
      ${
        deleting &&
        html`
          <${Delete} user=${user} onClose=${() => setDeleting(false)} />
        `
      }
    </section>
  `;
}

// byRank sorts members so that the last one would become the owner.
/** @param {Member} a @param {Member} b */
const byRank = (a, b) =>
  Number(atLeast(a.role, b.role)) - Number(atLeast(b.role, a.role)) ||
  b.created_at.localeCompare(a.created_at) ||
  b.user_id.localeCompare(a.user_id);
/** @param {Member} member */
const nameOf = ({ profiles: p }) => p?.display_name || p?.email || 'a member';

// fatesOf says of each workspace of a user whether it is deleted with the account, and else who becomes its
// owner, if nobody else is.
/** @param {User} user @param {AbortSignal} signal */
async function fatesOf(user, signal) {
  const members = await list(
    'workspace_members',
    {
      select:
        'workspace_id,user_id,role,created_at,workspaces(name,projects(count)),profiles(display_name,email)',
      order: 'workspace_id,user_id',
    },
    { signal },
  );
  /** @type {Map<string, typeof members>} */
  const all = new Map();
  for (const m of members) all.set(m.workspace_id, [...(all.get(m.workspace_id) ?? []), m]);
  return [...all].map(([id, of]) => {
    const others = of.filter((m) => m.user_id !== user.id);
    const heir = others.sort(byRank).at(-1);
    return {
      id,
      name: of[0].workspaces.name,
      projects: of[0].workspaces.projects[0].count,
      deleted: others.length === 0,
      heir: heir && !others.some((m) => m.role === 'owner') ? heir : null,
    };
  });
}

/** @param {{ user: User, onClose: () => void }} props */
function Delete({ user, onClose }) {
  const fates = useLoad((signal) => fatesOf(user, signal), [user.id]);
  const wanted = user.email || 'delete'; // what is typed to confirm
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { address } = valuesOf(form);
    if (address.trim().toLowerCase() !== wanted.toLowerCase())
      throw new Error(user.email ? 'This is not the address of your account.' : `Type ${wanted}.`);
    await deleteAccount();
    abandon(user.id);
  }
  const gone = fates.data?.filter((f) => f.deleted) ?? [];
  const kept = fates.data?.filter((f) => !f.deleted) ?? [];
  return html`
    <${Dialog} title="Delete your account?" onClose=${onClose}>
      <${Waiting} for=${fates} />
      ${
        fates.data &&
        html`
          <${Form} class="destructive" send=${send} submit="Delete account" onCancel=${onClose}>
            <dl class="consequences">
              <dt>Deleted</dt>
              <dd>
                Your account, with all sessions and settings.
                ${
                  gone.length > 0 &&
                  html`
                    ${' '}Workspaces without another member, with their projects, interviews and evidence:
                    <ul>
                      ${gone.map(
                        (f) => html`
                          <li key=${f.id} dir="auto">
                            <b>${f.name}</b>
                            ${' '}(${count(f.projects, 'project')})
                          </li>
                        `,
                      )}
                    </ul>
                  `
                }
              </dd>
              <dt>Stays</dt>
              <dd>
                ${
                  kept.length === 0
                    ? 'Nothing.'
                    : html`
                        What you made in workspaces with other members, without your name:
                        <ul>
                          ${kept.map(
                            (f) => html`
                              <li key=${f.id} dir="auto">
                                <b>${f.name}</b>
                                ${
                                  f.heir &&
                                  `. ${nameOf(f.heir)}, now ${roles[f.heir.role].toLowerCase()}, ` +
                                    'becomes its owner'
                                }
                              </li>
                            `,
                          )}
                        </ul>
                      `
                }
              </dd>
            </dl>
            <p>You are signed out everywhere at once. This cannot be undone.</p>
            <${Field}
              label=${user.email ? 'Your address, to confirm' : `Type “${wanted}” to confirm`}
              hint=${user.email}
            >
              ${(p) => html`
                <input
                  ...${p}
                  name="address"
                  required
                  autocomplete="off"
                  autocapitalize="none"
                  spellcheck="false"
                />
              `}
            <//>
          <//>
        `
      }
    <//>
  `;
}
