// Proposing themes with a model: the button, what it costs, how far it is, and what it found.
import { html, useState } from '../../page/html.js';
import { sentence, statusOf } from '../../client/http.js';
import { config } from '../../client/session.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { Progress } from '../../page/ui.js';
import { dateTime } from '../../page/words.js';
import { costOf } from '../ask/words.js';
import { estimateOf, isOpen, outcomeOf, progressOf } from './runs.js';

/** @typedef {ReturnType<typeof import('./runs.js').useRun>} Run */

// ProposeButton opens the dialog that starts a run. Without a model, it says why there is none.
/** @param {{ of: Run, onOpen: () => void }} props */
export const ProposeButton = ({ of: { run }, onOpen }) =>
  config.usesModel &&
  html`
    <button disabled=${run === undefined || isOpen(run)} onClick=${onOpen}>Propose themes</button>
  `;

// ProposeDialog says what a run does and costs, and starts it.
/** @param {{ project: string, of: Run, onClose: () => void }} props */
export function ProposeDialog({ project, of, onClose }) {
  const { data, error } = useLoad((signal) => estimateOf(project, signal), [project]);
  const useless = data?.imports === 0 || statusOf(error) === 422;
  /** @param {ThemesEstimate} of */
  const cost = (of) => {
    if (of.imports === 0) return 'There are no interviews to read yet.';
    return of.calls > 0 ? `It takes ${costOf(of)}.` : 'No calls to the AI model are needed.';
  };
  return html`
    <${Dialog} title="Propose themes" onClose=${onClose}>
      <${Form}
        send=${async () => {
          await of.start();
          onClose();
        }}
        submit="Propose themes"
        disabled=${useless}
        onCancel=${onClose}
      >
        <p>
          The AI model reads the interviews for what matters to people and is about none of your hypotheses
          and themes, and groups it. Every quote is checked against the transcript.
        </p>
        <p>
          You accept or dismiss each theme. Nothing that a person made is changed; proposals that nobody
          touched are replaced.
        </p>
        <p class="hint" role="status">${data && cost(data)}</p>
        ${
          error &&
          html`
            <p class="wrong" role="alert" dir="auto">${sentence(error)}</p>
          `
        }
      <//>
    <//>
  `;
}

// RunState says how far a run is, or how the last one ended.
/** @param {{ of: Run, canEdit: boolean }} props */
export function RunState({ of: { run, cancelling, cancel }, canEdit }) {
  const [hidden, setHidden] = useState('');
  if (!run || hidden === run.id) return null;
  if (isOpen(run))
    return html`
      <div class="run">
        <${Progress} done=${run.progress_done} total=${run.progress_total} label="Proposing themes" />
        <span class="faint" role="status">${progressOf(run, cancelling)}</span>
        ${
          canEdit &&
          html`
            <button class="small" disabled=${cancelling} onClick=${cancel}>Cancel</button>
          `
        }
      </div>
    `;
  return html`
    <p class=${`run${run.status === 'done' ? ' faint' : ' lost'}`}>
      <span dir="auto">
        ${`${run.status === 'done' ? 'Last proposals' : 'Proposing themes ended'}, ${dateTime(
          run.finished_at ?? run.created_at,
        )}: ${outcomeOf(run)}`}
      </span>
      <button class="quiet icon" aria-label="Dismiss" onClick=${() => setHidden(run.id)}>×</button>
    </p>
  `;
}
