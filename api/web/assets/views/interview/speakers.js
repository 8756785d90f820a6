// The dialog in which editors name the speakers of an interview and mark its interviewers.
import { html } from '../../page/html.js';
import { insert, list, rpc } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { speakers as load } from '../../client/people.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { problem, toast } from '../../page/messages.js';

// Speakers names the speakers of an interview, marks interviewers, and merges speakers by giving them one
// name.
/** @param {{ context: Context, row: Interview, onSaved: () => void, onClose: () => void }} props */
export function Speakers({ context, row, onSaved, onClose }) {
  const loaded = useLoad((signal) => load({ import_id: `eq.${row.id}` }, signal), [row.id]);
  const speakers = loaded.data ?? [];
  const restore = (/** @type {Voice[]} */ all) => rpc('restore_speakers', { import: row.id, speakers: all });
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const values = valuesOf(form);
    const participantOf = await participants(context.id);
    /** @type {Voice[]} */
    const changed = [];
    for (const [i, s] of speakers.entries()) {
      const name = values[`name-${i}`].trim();
      const asks = `interviewer-${i}` in values;
      const role = asks ? 'interviewer' : s.role === 'interviewer' ? 'participant' : s.role;
      if (name === s.name && role === s.role) continue;
      /** @type {Voice} */
      const speaker = { ...s, role };
      if (name && name !== s.name)
        Object.assign(speaker, { display_name: name, participant_id: await participantOf(name) });
      changed.push(speaker);
    }
    const before = changed.length > 0 && (await restore(changed));
    onClose();
    if (!before) return;
    onSaved();
    toast('Speakers saved.', { undo: () => restore(before).then(onSaved, problem) });
  }
  return html`
    <${Dialog} title="Speakers" onClose=${onClose}>
      <${Waiting} for=${loaded} />
      ${
        loaded.data &&
        html`
          <${Form} send=${send} submit="Save" onCancel=${onClose}>
            <p class="faint">
              Speakers with the same name are one person. What interviewers say does not count as evidence.
            </p>
            ${speakers.map(
              (s, i) => html`
                <fieldset key=${s.speaker} class="speaker">
                  <legend class="unseen">${s.speaker || 'Without a name'}</legend>
                  <${Field} label=${s.speaker || 'Without a name'}>
                    ${(p) => html`
                      <input
                        ...${p}
                        name=${`name-${i}`}
                        required=${s.speaker !== ''}
                        maxlength="200"
                        defaultValue=${s.name}
                        dir="auto"
                      />
                    `}
                  <//>
                  <label class="check">
                    <input
                      type="checkbox"
                      name=${`interviewer-${i}`}
                      defaultChecked=${s.role === 'interviewer'}
                    />
                    Interviewer
                  </label>
                </fieldset>
              `,
            )}
          <//>
        `
      }
    <//>
  `;
}

// participants returns a function that returns the id of the participant of a name, who is added if there is
// none.
/** @param {string} projectId */
async function participants(projectId) {
  const all = await list('participants', {
    project_id: `eq.${projectId}`,
    select: 'id,name',
    order: 'created_at.desc,id.desc',
  });
  const ids = new Map(all.map(({ id, name }) => [name.toLowerCase(), id])); // of two, the first who was added
  return async (/** @type {string} */ name) => {
    const key = name.toLowerCase();
    const id = ids.get(key) ?? (await insert('participants', { project_id: projectId, name }, 'id')).id;
    ids.set(key, id);
    return id;
  };
}
