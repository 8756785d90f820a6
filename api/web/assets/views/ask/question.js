// The question behind an answer, in the list of questions of the project.
import { html, useState } from '../../page/html.js';
import { insert, list, one, update } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';

// NextTime adds the question to those of the next interview, unless it is one of them.
/** @param {{ context: Context, answer: AskedAnswer }} props */
export function NextTime({ context, answer }) {
  const [added, setAdded] = useState(!!answer.questionId);
  const [busy, setBusy] = useState(false);
  const href = `/projects/${context.id}/questions`;
  const text = answer.question;
  async function add() {
    setBusy(true);
    try {
      const same = await list('questions', {
        project_id: `eq.${context.id}`,
        text: `eq.${text}`,
        status: 'eq.open',
        select: 'id',
        limit: '1',
      });
      if (same.length === 0) await insert('questions', { project_id: context.id, text }, 'id');
      setAdded(true);
      toast(same.length === 0 ? 'Added to the questions.' : 'It was among the questions already.', {
        link: { href, text: 'Open them' },
      });
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
