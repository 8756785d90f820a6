// The menu of an interview: its title, date and persona, its speakers, and its deletion.
import { html, useState } from '../../page/html.js';
import { list, update } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { count } from '../../page/words.js';
import { running } from '../shared/interviewwords.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Analyse } from './analyse.js';
import { sayDeleted, setAside } from './deleted.js';
import { interviewColumns } from './facts.js';
import { Redact } from './redacting.js';
import { Rereading } from '../reading/rereading.js';
import { Menu } from '../shared/menu.js';
import { Speakers } from './speakers.js';

// Manage is the menu of an interview, for editors. onSaved gets the changed row. onSpeakers runs after the
// speakers changed. onAnalyse gets the ids of hypotheses, and whether to read again what was read.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {(row: Interview) => void} props.onSaved
 * @param {() => void} props.onSpeakers
 * @param {StartAnalysis} props.onAnalyse
 * @param {() => void} props.onRedacted
 * @param {() => void} props.onDeleted
 */
export function Manage({ context, row, onSaved, onSpeakers, onAnalyse, onRedacted, onDeleted }) {
  const [dialog, setDialog] = useState(
    /** @type {'edit' | 'speakers' | 'reading' | 'redact' | 'analyse' | 'scratch' | 'delete' | null} */ (
      null
    ),
  );
  const close = () => setDialog(null);
  return html`
    <${Menu}
      label=${`Actions for ${row.title}`}
      items=${[
        { text: 'Edit', act: () => setDialog('edit') },
        { text: 'Speakers', act: () => setDialog('speakers') },
        !running(row.status) && { text: 'Who speaks?', act: () => setDialog('reading') },
        !running(row.status) && { text: 'Redact a name', act: () => setDialog('redact') },
        !running(row.status) && { text: 'Analyse', act: () => setDialog('analyse') },
        row.status === 'parsed' && { text: 'Analyse from scratch', act: () => setDialog('scratch') },
        { text: 'Delete', act: () => setDialog('delete'), danger: true },
      ].filter(Boolean)}
    />
    ${
      dialog === 'edit' &&
      html`
        <${Edit} context=${context} row=${row} onSaved=${onSaved} onClose=${close} />
      `
    }
    ${
      dialog === 'speakers' &&
      html`
        <${Speakers} context=${context} row=${row} onSaved=${onSpeakers} onClose=${close} />
      `
    }
    ${
      dialog === 'reading' &&
      html`
        <${Rereading}
          row=${row}
          onSaved=${(/** @type {boolean} */ needsLook) => {
            onSaved({ ...row, needs_look: needsLook });
            onSpeakers();
          }}
          onClose=${close}
        />
      `
    }
    ${
      (dialog === 'analyse' || dialog === 'scratch') &&
      html`
        <${Analyse}
          context=${context}
          row=${row}
          refresh=${dialog === 'scratch'}
          onStart=${onAnalyse}
          onClose=${close}
        />
      `
    }
    ${
      dialog === 'redact' &&
      html`
        <${Redact} row=${row} onSaved=${onRedacted} onClose=${close} />
      `
    }
    ${
      dialog === 'delete' &&
      html`
        <${Delete} row=${row} onDeleted=${onDeleted} onClose=${close} />
      `
    }
  `;
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {(row: Interview) => void} props.onSaved
 * @param {() => void} props.onClose
 */
function Edit({ context, row, onSaved, onClose }) {
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const values = valuesOf(form);
    const changes = {
      title: values.title,
      interviewed_on: values.interviewed_on || null,
      persona_id: values.persona_id || null,
    };
    onSaved(await update('imports', { id: `eq.${row.id}` }, changes, interviewColumns));
    onClose();
  }
  return html`
    <${Dialog} title="Interview" onClose=${onClose}>
      <${Form} send=${send} submit="Save" onCancel=${onClose}>
        <${Field} label="Title">
          ${(p) => html`
            <input ...${p} name="title" required maxlength="300" defaultValue=${row.title} />
          `}
        <//>
        <div class="row">
          <${Field} label="Date of the interview">
            ${(p) => html`
              <input ...${p} type="date" name="interviewed_on" defaultValue=${row.interviewed_on ?? ''} />
            `}
          <//>
          <${Field} label="Persona">
            ${(p) => html`
              <select ...${p} name="persona_id">
                <option value="">None</option>
                ${context.personas.map(
                  ({ id, name }) => html`
                    <option key=${id} value=${id} selected=${id === row.persona_id}>${name}</option>
                  `,
                )}
              </select>
            `}
          <//>
        </div>
      <//>
    <//>
  `;
}

/** @param {{ row: Interview, onDeleted: () => void, onClose: () => void }} props */
function Delete({ row, onDeleted, onClose }) {
  const quotes = useLoad(
    (signal) => list('evidence', { import_id: `eq.${row.id}`, select: 'id,review', order: 'id' }, { signal }),
    [row.id],
  );
  /** @param {LinkedEvidence[]} all */
  const judged = (all) => all.filter((e) => e.review !== 'suggested').length;
  async function send() {
    await setAside(row);
    onClose();
    onDeleted();
    sayDeleted([row]);
  }
  return html`
    <${Dialog} title="Delete this interview?" onClose=${onClose}>
      <${Form} class="destructive" send=${send} submit="Delete interview" onCancel=${onClose}>
        <p dir="auto"><b>${row.title}</b></p>
        <p>
          Its transcript and its answers are deleted, and${' '}
          ${
            quotes.data
              ? `${count(quotes.data.length, 'quote')} with ${count(judged(quotes.data), 'judgement')}`
              : 'its quotes with their judgements'
          }.
          ${running(row.status) && ' Its analysis is cancelled.'} It can be restored for a day.
        </p>
      <//>
    <//>
  `;
}
