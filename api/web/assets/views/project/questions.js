// The questions of a project for the next interviews.
import { html, useState } from '../../page/html.js';
import { list, update } from '../../client/api.js';
import { Decision, Field, Options, valuesOf } from '../../page/form.js';
import { useLoad, usePoll } from '../../page/load.js';
import { problem } from '../../page/messages.js';
import { editing, EditDialog } from '../shared/rows.js';
import { importances, questionStatus } from '../../page/words.js';
import { Empty, Tag, Title, Waiting } from '../../page/ui.js';
import { followAnswers } from '../ask/requests.js';
import { outcomeOf, peopleOf, running } from '../ask/words.js';
import { Advice } from '../guide/advice.js';
import { personaOptions } from './personaoptions.js';

const select = 'id,text,status,priority,origin,hypothesis_id,persona_id,answer_evidence_id,created_at';
const rank = { high: 0, medium: 1, low: 2 };

// What the interviews answered when a question was asked.
/**
 * @typedef {Pick<AnswerRow, 'id' | 'question_id' | 'status' | 'result' | 'people_count' | 'people_total'>
 * } Given
 */

/** @typedef {(change: (all: Question[]) => Question[]) => void} Set */

/** @param {{ context: Context, question: Question | null, set: Set, onClose: () => void }} props */
function Edit({ context, question: q, set, onClose }) {
  const { save, drop } = editing('questions', select, context.id, set);
  const [text, setText] = useState(q?.text ?? '');
  /** @param {{ currentTarget: HTMLTextAreaElement }} event */
  const onInput = ({ currentTarget }) => setText(currentTarget.value);
  return html`
    <${EditDialog}
      title=${q ? 'Question' : 'New question'}
      submit=${q ? 'Save' : 'Add question'}
      send=${(/** @type {HTMLFormElement} */ form) => {
        const values = valuesOf(form);
        return save(q, {
          ...values,
          hypothesis_id: values.hypothesis_id || null,
          persona_id: values.persona_id || null,
        });
      }}
      onDelete=${q && (() => drop(q, 'Question deleted.'))}
      onClose=${onClose}
    >
      <${Field}
        label="Question"
        hint="Ask about the past, not about the future: “When did that last happen?”"
      >
        ${(p) => html`
          <textarea
            ...${p}
            name="text"
            rows="2"
            required
            maxlength="2000"
            defaultValue=${q?.text ?? ''}
            onInput=${onInput}
          ></textarea>
        `}
      <//>
      <${Advice} projectId=${context.id} text=${text} />
      <${Field} label="Tests the hypothesis">
        ${(p) => html`
          <select ...${p} name="hypothesis_id">
            <option value="">None</option>
            ${context.hypotheses.map(
              (h) => html`
                <option key=${h.id} value=${h.id} selected=${h.id === q?.hypothesis_id}>
                  ${h.statement}
                </option>
              `,
            )}
          </select>
        `}
      <//>
      <div class="row">
        <${Field} label="Who to ask">
          ${(p) => html`
            <select ...${p} name="persona_id">
              ${personaOptions(context.personas, q?.persona_id)}
            </select>
          `}
        <//>
        <${Field} label="Priority">
          ${(p) => html`
            <select ...${p} name="priority">
              <${Options} of=${importances} value=${q?.priority ?? 'medium'} />
            </select>
          `}
        <//>
      </div>
    <//>
  `;
}

const WATCH_MS = 1000; // while a question is answered
const IDLE_MS = 20_000; // shows what other members ask

// useLatestAnswers follows what the interviews answered when a question was last asked, by question.
/** @param {string} projectId */
function useLatestAnswers(projectId) {
  const [latest, setLatest] = useState(/** @type {Map<string | null, Given>} */ (new Map()));
  usePoll(
    async (signal) => {
      const rows = await list(
        'answers',
        {
          project_id: `eq.${projectId}`,
          question_id: 'not.is.null',
          select: 'id,question_id,status,result,people_count,people_total',
          order: 'created_at,id',
        },
        { signal },
      );
      setLatest(new Map(rows.map((row) => [row.question_id, row])));
      return rows;
    },
    (rows) => (rows.some(({ status }) => running(status)) ? WATCH_MS : IDLE_MS),
    [projectId],
    followAnswers(projectId),
  );
  return latest;
}

/** @param {{ context: Context }} props */
export function Questions({ context }) {
  const [edited, setEdited] = useState(/** @type {Question | 'new' | null} */ (null));
  const questions = useLoad(
    (signal) =>
      list('questions', { project_id: `eq.${context.id}`, select, order: 'created_at,id' }, { signal }),
    [context.id],
  );
  const { data, set } = questions;
  const answers = useLatestAnswers(context.id);
  /** @param {Question} q @param {QuestionStatus} status */
  async function mark(q, status) {
    set((all) => all.map((one) => (one.id === q.id ? { ...one, status } : one)));
    try {
      await update('questions', { id: `eq.${q.id}` }, { status });
    } catch (e) {
      set((all) => all.map((one) => (one.id === q.id ? { ...one, status: q.status } : one)));
      problem(e);
    }
  }
  const sorted =
    data &&
    [...data].sort(
      (a, b) =>
        (a.status === 'open' ? 0 : 1) - (b.status === 'open' ? 0 : 1) || rank[a.priority] - rank[b.priority],
    );
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Questions<//>
        ${
          context.canEdit &&
          html`
            <button class="primary" onClick=${() => setEdited('new')}>New question</button>
          `
        }
      </header>
      <${Waiting} for=${questions} />
      ${
        data?.length === 0 &&
        html`
          <${Empty} title="What will you ask next?">
            <p>
              ${
                context.canEdit
                  ? 'Collect the questions for your next interviews, each with the hypothesis that it tests.'
                  : 'Editors of this workspace collect the questions for the next interviews here.'
              }
              ${' '}If an interview says nothing about a hypothesis, that is a good question.
            </p>
          <//>
        `
      }
      ${
        sorted &&
        sorted.length > 0 &&
        html`
          <ul class="questions">
            ${sorted.map(
              (q) => html`
                <${Row}
                  key=${q.id}
                  ...${{ context, q, mark }}
                  answer=${answers.get(q.id)}
                  onEdit=${() => setEdited(q)}
                />
              `,
            )}
          </ul>
        `
      }
      ${
        edited &&
        html`
          <${Edit}
            context=${context}
            question=${edited === 'new' ? null : edited}
            set=${set}
            onClose=${() => setEdited(null)}
          />
        `
      }
    </main>
  `;
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Question} props.q
 * @param {Given | undefined} props.answer
 * @param {(q: Question, status: QuestionStatus) => void} props.mark
 * @param {() => void} props.onEdit
 */
function Row({ context, q, answer, mark, onEdit }) {
  const persona = context.personas.find((p) => p.id === q.persona_id);
  const hypothesis = context.hypotheses.find((h) => h.id === q.hypothesis_id);
  return html`
    <li class=${q.status}>
      <div class="what">
        <p class="statement" dir="auto">${q.text}</p>
        <p class="meta">
          <span class=${'importance ' + q.priority}>${importances[q.priority]} priority</span>
          ${
            q.origin === 'ai' &&
            html`
              <${Tag} title="Suggested by an AI model, because an interview left it open.">AI<//>
            `
          }
          ${
            q.persona_id &&
            html`
              <span dir="auto">${persona?.name}</span>
            `
          }
          ${
            q.hypothesis_id &&
            html`
              <a dir="auto" href=${`/projects/${context.id}/evidence?h=${q.hypothesis_id}`}>
                ${hypothesis?.statement}
              </a>
            `
          }
          <${AskedOf} context=${context} q=${q} answer=${answer} />
        </p>
      </div>
      <div class="verdict">
        ${
          context.canEdit
            ? html`
                <${Decision}
                  plain
                  label="Status"
                  value=${q.status}
                  options=${questionStatus}
                  onChange=${(s) => mark(q, s)}
                />
                <button class="quiet" aria-label=${`Edit: ${q.text}`} onClick=${onEdit}>Edit</button>
              `
            : html`
                <${Tag}>${questionStatus[q.status]}<//>
              `
        }
      </div>
    </li>
  `;
}

// byOf says how many people gave an answer: '' if it is none, or nobody's that is known.
/** @param {Given} answer */
const byOf = ({ status, result, people_count: n, people_total: total }) =>
  status === 'answered' && (result === 'answered' || result === 'partly') && n > 0
    ? ` by ${peopleOf(n, total)}`
    : '';

// AskedOf leads to what the interviews answered, or asks them.
/** @param {{ context: Context, q: Question, answer: Given | undefined }} props */
function AskedOf({ context, q, answer }) {
  const path = `/projects/${context.id}/ask`;
  if (answer)
    return html`
      <a href=${`${path}?a=${answer.id}`}>Asked: ${' '}${outcomeOf(answer)}${byOf(answer)}</a>
    `;
  if (!context.canEdit || q.status === 'dropped') return null;
  return html`
    <a
      href=${`${path}?${new URLSearchParams({ q: q.text, question: q.id })}`}
      aria-label=${`Ask the interviews: ${q.text}`}
    >
      Ask the interviews
    </a>
  `;
}
