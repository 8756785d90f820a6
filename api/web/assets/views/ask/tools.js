// What can be done with an answer: keep it, copy it, save it, rename it, ask again and delete it.
import { html, useState } from '../../page/html.js';
import { deleteAnswer } from './requests.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { problem, toast } from '../../page/messages.js';
import { go } from '../../page/router.js';
import { toMarkdown } from '../export/document.js';
import { SaveAs } from '../export/saveas.js';
import { Menu } from '../shared/menu.js';
import { documentOf, quotesOf } from './document.js';
import { nameOf, running } from './words.js';

/** @typedef {ReturnType<typeof import('./data.js').useAnswer>} Followed */

/** @param {AskedAnswer} answer */
const copy = async (answer) => {
  try {
    await navigator.clipboard.writeText(toMarkdown(documentOf(answer)));
    toast('Copied.');
  } catch (error) {
    problem(error);
  }
};

// Tools are the controls of an answer. all says that all quotes are shown, and onAll changes that; onFinding
// makes it a finding.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {AskedAnswer} props.answer
 * @param {Followed['change']} props.change
 * @param {Followed['again']} props.again
 * @param {boolean} props.all
 * @param {() => void} props.onAll
 * @param {() => void} props.onFinding
 */
export function Tools({ context, answer, change, again, all, onAll, onFinding }) {
  const [dialog, setDialog] = useState(/** @type {'name' | 'delete' | null} */ (null));
  const over = !running(answer.status);
  const close = () => setDialog(null);
  const proven = answer.sentences.length > 0;
  return html`
    <div class="tasks" role="group" aria-label="Answer">
      ${
        proven &&
        html`
          <button class="quiet" aria-pressed=${all} onClick=${onAll}>All quotes</button>
        `
      }
      ${
        over &&
        html`
          <button class="quiet" onClick=${() => window.print()}>Print or PDF</button>
          ${
            navigator.clipboard &&
            html`
              <button class="quiet" onClick=${() => copy(answer)}>Copy as Markdown</button>
            `
          }
          <${SaveAs}
            context=${context}
            ready
            shown=${() => ({
              file: ['answer', nameOf(answer)],
              quotes: quotesOf(answer),
              doc: documentOf(answer),
            })}
          />
        `
      }
      ${
        context.canEdit &&
        html`
          ${
            over &&
            proven &&
            html`
              <button onClick=${onFinding}>Make it a finding</button>
            `
          }
          <button
            aria-pressed=${answer.kept}
            title="Kept answers are the first of the list."
            onClick=${() => change({ kept: !answer.kept }).catch(problem)}
          >
            ${answer.kept ? '★ Kept' : '☆ Keep'}
          </button>
          <${Menu}
            label="Actions for the answer"
            items=${[
              { text: 'Rename', act: () => setDialog('name') },
              ...(over ? [{ text: 'Ask again', act: () => again(answer.mode) }] : []),
              { text: 'Delete', act: () => setDialog('delete'), danger: true },
            ]}
          />
        `
      }
    </div>
    ${
      dialog === 'name' &&
      html`
        <${Rename} answer=${answer} change=${change} onClose=${close} />
      `
    }
    ${
      dialog === 'delete' &&
      html`
        <${Delete} context=${context} answer=${answer} onClose=${close} />
      `
    }
  `;
}

/** @param {{ answer: AskedAnswer, change: Followed['change'], onClose: () => void }} props */
const Rename = ({ answer, change, onClose }) => html`
  <${Dialog} title="Rename the answer" onClose=${onClose}>
    <${Form}
      send=${async (/** @type {HTMLFormElement} */ form) => {
        await change({ title: valuesOf(form).title.trim() });
        onClose();
      }}
      submit="Save"
      onCancel=${onClose}
    >
      <${Field} label="Title" hint="Without one, the title is the question.">
        ${(p) => html`
          <input ...${p} name="title" maxlength="300" defaultValue=${answer.title} />
        `}
      <//>
    <//>
  <//>
`;

/** @param {{ context: Context, answer: AskedAnswer, onClose: () => void }} props */
const Delete = ({ context, answer, onClose }) => html`
  <${Dialog} title="Delete the answer?" onClose=${onClose}>
    <div class="destructive">
      <${Form}
        send=${async () => {
          await deleteAnswer(answer.answerId);
          toast('Answer deleted.');
          go(`/projects/${context.id}/ask`, { replace: true });
        }}
        submit="Delete"
        onCancel=${onClose}
      >
        <p dir="auto">“${nameOf(answer)}” is deleted for everybody. What was kept as evidence stays.</p>
      <//>
    </div>
  <//>
`;
