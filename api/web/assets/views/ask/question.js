// The question behind an answer, in the list of questions of the project.
import { html, useState } from '../../page/html.js';
import { insert, one, update } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';

// NextTime adds the question to those of the next interview, unless it is one of them.
/** @param {{ context: Context, answer: AskedAnswer }} props */
export function NextTime({ context, answer }) {
  const [added, setAdded] = useState(!!answer.questionId);
  const [busy, setBusy] = useState(false);
  const href = `/projects/${context.id}/questions`;
  async function add() {
    setBusy(true);
    try {
      await insert('questions', { project_id: context.id, text: answer.question }, 'id');
      setAdded(true);
      toast('Added to the questions.', { link: { href, text: 'Open them' } });
    } catch (error) {
      problem(error);
    }
    setBusy(false);
  }
  if (added)
    return html`
      <p>
        It is among the${' '}
        <a href=${href}>questions</a>
        ${' '}for the next interviews.
      </p>
    `;
  if (!context.canEdit) return null;
  return html`
    <p>
      <button class="primary" disabled=${busy} onClick=${add}>
        Add as a question for the next interview
      </button>
    </p>
  `;
}

// MarkAnswered says in that list that the answer settles the question.
/** @param {{ questionId: string }} props */
export function MarkAnswered({ questionId }) {
  const { data, set } = useLoad(
    (signal) => one('questions', { id: `eq.${questionId}`, select: 'id,status' }, { signal }),
    [questionId],
  );
  async function mark() {
    try {
      await update('questions', { id: `eq.${questionId}` }, { status: 'answered' }, 'id');
      set((q) => q && { ...q, status: 'answered' });
      toast('The question is answered.');
    } catch (error) {
      problem(error);
    }
  }
  if (!data || data.status === 'answered') return null;
  return html`
    <p><button class="small" onClick=${mark}>Mark the question as answered</button></p>
  `;
}
