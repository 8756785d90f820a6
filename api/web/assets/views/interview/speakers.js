// The dialog in which editors say who the speakers of an interview are: names, interviewers, and of people,
// whether they are those of other interviews, their persona and their attributes.
import { html, useState } from '../../page/html.js';
import { insert, list, rpc, update } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { speakers as load } from '../../client/people.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { problem, toast } from '../../page/messages.js';
import { names as listed } from '../../page/words.js';
import { readAttributes, writeAttributes } from '../shared/groups.js';

/** @typedef {{ id: string, name: string, titles: string[] }} Namesake a person of other interviews */

const OTHER = 'other'; // somebody else than the namesakes

/** @param {string} name */
const fold = (name) => name.trim().toLowerCase();

// useSpeakers loads the speakers of an interview, those of the others, and the participants of the project.
/** @param {string} projectId @param {string} importId */
const useSpeakers = (projectId, importId) =>
  useLoad(
    async (signal) => {
      const [all, participants] = await Promise.all([
        load({ project_id: `eq.${projectId}` }, signal),
        list(
          'participants',
          {
            project_id: `eq.${projectId}`,
            select: 'id,name,persona_id,attributes',
            order: 'created_at,id',
          },
          { signal },
        ),
      ]);
      const used = new Set(all.map((s) => s.participant_id));
      const others = all.filter((s) => s.import_id !== importId && s.role === 'participant');
      const people = new Map(participants.map((p) => [p.id, p]));
      return { mine: all.filter((s) => s.import_id === importId), others, people, used };
    },
    [projectId, importId],
  );

// namesakes returns the people of other interviews who have a name.
/** @param {string} name @param {Voice[]} others @returns {Namesake[]} */
function namesakes(name, others) {
  /** @type {Map<string, Namesake>} */
  const found = new Map();
  for (const { participant_id: id, name: theirs, imports } of others) {
    if (!id || fold(theirs) !== fold(name)) continue;
    const one = found.get(id) ?? { id, name: theirs, titles: [] };
    one.titles.push(imports.title);
    found.set(id, one);
  }
  return [...found.values()];
}

/** @param {{ context: Context, row: Interview, onSaved: () => void, onClose: () => void }} props */
export function Speakers({ context, row, onSaved, onClose }) {
  const loaded = useSpeakers(context.id, row.id);
  const restore = (/** @type {Voice[]} */ all) => rpc('restore_speakers', { import: row.id, speakers: all });
  /** @param {HTMLFormElement} form */
  async function send(form) {
    if (!loaded.data) return;
    const { changed, described } = await decided(context.id, loaded.data, valuesOf(form));
    const before = changed.length > 0 ? await restore(changed) : [];
    const undo = await describe(described);
    onClose();
    if (changed.length + described.length === 0) return;
    onSaved();
    toast('Speakers saved.', {
      undo: () => Promise.all([before.length > 0 && restore(before), describe(undo)]).then(onSaved, problem),
      about: [row.id],
      here: true,
    });
  }
  return html`
    <${Dialog} title="Speakers" onClose=${onClose}>
      <${Waiting} for=${loaded} />
      ${
        loaded.data &&
        html`
          <${Form} send=${send} submit="Save" onCancel=${onClose}>
            <p class="faint">
              Speakers of this interview with the same name are one person. What interviewers say does not
              count as evidence.
            </p>
            ${loaded.data.mine.map(
              (s, i) => html`
                <${Speaker} key=${s.speaker} ...${{ context, row, s, i }} data=${loaded.data} />
              `,
            )}
          <//>
        `
      }
    <//>
  `;
}

/** @typedef {NonNullable<ReturnType<typeof useSpeakers>['data']>} Data */

/** @param {{ context: Context, row: Interview, s: Voice, i: number, data: Data }} props */
function Speaker({ context, row, s, i, data: { others, people } }) {
  const [name, setName] = useState(s.name);
  const [asks, setAsks] = useState(s.role === 'interviewer');
  const person = people.get(s.participant_id ?? '');
  const same = namesakes(name, others);
  const label = s.speaker || 'Without a name';
  const first = context.personas.find(({ id }) => id === row.persona_id);
  return html`
    <fieldset class="speaker">
      <legend class="unseen">${label}</legend>
      <${Field} label=${label}>
        ${(p) => html`
          <input
            ...${p}
            name=${`name-${i}`}
            required=${s.speaker !== ''}
            maxlength="200"
            value=${name}
            onInput=${(e) => setName(e.currentTarget.value)}
            dir="auto"
          />
        `}
      <//>
      <label class="check">
        <input
          type="checkbox"
          name=${`interviewer-${i}`}
          checked=${asks}
          onChange=${(e) => setAsks(e.currentTarget.checked)}
        />
        Interviewer
      </label>
      ${
        !asks &&
        same.length > 0 &&
        html`
          <${Same} key=${fold(name)} i=${i} same=${same} known=${fold(name) === fold(s.name) && s} />
        `
      }
      ${
        !asks &&
        html`
          <details class="more">
            <summary>Persona and attributes</summary>
            ${
              context.personas.length > 0 &&
              html`
                <${Field} label="Persona">
                  ${(p) => html`
                    <select ...${p} name=${`persona-${i}`}>
                      <option value="">${first ? `As the interview: ${first.name}` : 'None'}</option>
                      ${context.personas.map(
                        ({ id, name: text }) => html`
                          <option key=${id} value=${id} selected=${id === person?.persona_id}>${text}</option>
                        `,
                      )}
                    </select>
                  `}
                <//>
              `
            }
            <${Field}
              label="Attributes"
              hint="One per line, such as: sites = 3. Groups of people compare them."
            >
              ${(p) => html`
                <textarea
                  ...${p}
                  name=${`attributes-${i}`}
                  rows="2"
                  maxlength="4000"
                  dir="auto"
                  defaultValue=${writeAttributes(person?.attributes ?? {})}
                ></textarea>
              `}
            <//>
          </details>
        `
      }
    </fieldset>
  `;
}

// Same asks whether somebody is the person of the same name in other interviews. It is answered for a speaker
// whose name has not changed.
/** @param {{ i: number, same: Namesake[], known: Voice | false }} props */
function Same({ i, same, known }) {
  const linked = known && same.some(({ id }) => id === known.participant_id);
  const value = !known ? '' : linked ? known.participant_id : OTHER;
  return html`
    <${Field}
      label=${`${same[0].name} is also in ${listed(same.flatMap((one) => one.titles.map((t) => `“${t}”`)))}`}
    >
      ${(p) => html`
        <select ...${p} name=${`same-${i}`} required>
          ${
            !known &&
            html`
              <option value="" selected>The same person?</option>
            `
          }
          ${same.map(
            ({ id, titles }) => html`
              <option key=${id} value=${id} selected=${id === value}>
                ${same.length > 1 ? `The same person as in “${titles[0]}”` : 'The same person'}
              </option>
            `,
          )}
          <option value=${OTHER} selected=${value === OTHER}>Somebody else</option>
        </select>
      `}
    <//>
  `;
}

// decided returns the speakers that the form changes, and the participants whose persona or attributes it
// changes. It adds participants where there are none.
/** @param {string} projectId @param {Data} data @param {Values} values */
async function decided(projectId, { mine, others, people, used }, values) {
  const shared = (/** @type {string | null} */ id) => others.some((o) => o.participant_id === id);
  // The people of each name in this interview, and those who speak nowhere yet.
  const added = /** @type {Map<string, string>} */ (new Map());
  for (const { id, name } of people.values()) if (!used.has(id)) added.set(fold(name), id);
  for (const [i, { name, participant_id: id }] of mine.entries())
    if (id && values[`name-${i}`].trim() === name && !(values[`same-${i}`] === OTHER && shared(id)))
      added.set(fold(name), id);
  /** @param {string} name */
  const add = async (name) => {
    const id =
      added.get(fold(name)) ?? (await insert('participants', { project_id: projectId, name }, 'id')).id;
    added.set(fold(name), id);
    return id;
  };
  /** @type {Voice[]} */
  const changed = [];
  /** @type {Described[]} */
  const described = [];
  for (const [i, s] of mine.entries()) {
    const name = values[`name-${i}`].trim();
    const asks = `interviewer-${i}` in values;
    const role = asks ? 'interviewer' : s.role === 'interviewer' ? 'participant' : s.role;
    const same = values[`same-${i}`];
    const renamed = Boolean(name) && name !== s.name;
    const person = people.get(s.participant_id ?? '');
    const facts = asks ? undefined : factsOf(values, i, person);
    let id = s.participant_id;
    if (same && same !== OTHER) id = same;
    else if (renamed || (same === OTHER && shared(id)) || (facts && !id)) id = await add(name || s.speaker);
    if (facts && id) described.push({ id, ...facts, was: people.get(id) });
    if (renamed || role !== s.role || id !== s.participant_id)
      changed.push({ ...s, role, participant_id: id, display_name: renamed ? name : s.display_name });
  }
  return { changed, described };
}

/**
 * @typedef {object} Described what a participant becomes, and was
 * @property {string} id
 * @property {string | null} persona_id
 * @property {Record<string, unknown>} attributes
 * @property {Pick<Tables['participants'], 'persona_id' | 'attributes'>} [was]
 */

// factsOf returns the persona and the attributes in the form, if they differ from those of a person.
/** @param {Values} values @param {number} i @param {Tables['participants']} [person] */
function factsOf(values, i, person) {
  if (!(`attributes-${i}` in values)) return undefined;
  const before = { persona_id: person?.persona_id ?? null, attributes: person?.attributes ?? {} };
  const after = {
    persona_id: `persona-${i}` in values ? values[`persona-${i}`] || null : before.persona_id,
    attributes: readAttributes(values[`attributes-${i}`], before.attributes),
  };
  return JSON.stringify(after) === JSON.stringify(before) ? undefined : after;
}

// describe writes personas and attributes, and returns what undoes it.
/** @param {Described[]} all @returns {Promise<Described[]>} */
async function describe(all) {
  for (const { id, persona_id: personaId, attributes } of all)
    await update('participants', { id: `eq.${id}` }, { persona_id: personaId, attributes }, 'id');
  return all.map(({ id, was }) => ({
    id,
    persona_id: was?.persona_id ?? null,
    attributes: was?.attributes ?? {},
  }));
}
