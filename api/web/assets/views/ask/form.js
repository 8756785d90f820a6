// The form that asks a question.
import { html, useLayoutEffect, useMemo, useRef, useState } from '../../page/html.js';
import { ask } from './requests.js';
import { statusOf } from '../../client/http.js';
import { config, session } from '../../client/session.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { go, note } from '../../page/router.js';
import { newId } from '../shared/ids.js';
import { useKeys } from '../../page/keys.js';
import { personaOptions } from '../project/personaoptions.js';
import { WillRead } from './reading.js';

const LEAST = 3; // characters
const MOST = 1000;

// What was typed in each project, so that it is there again after a look at another view.
/** @type {Map<string, string>} */
const drafts = new Map();
session.follow(({ phase }) => phase === 'out' && drafts.clear());

// useDraft returns the question as it was typed, which the address has too, and a function that changes it.
// questionId is that of the address, while the text is that of this question.
/** @param {string} projectId @param {URLSearchParams} query */
function useDraft(projectId, query) {
  const [first] = useState(() => (query.get('q') ?? drafts.get(projectId) ?? '').slice(0, MOST));
  const [planned] = useState(query.get('question'));
  const [text, setText] = useState(first);
  /** @param {string} now */
  const idOf = (now) => (now.trim() === first.trim() ? planned : null);
  return {
    text,
    questionId: idOf(text),
    /** @param {string} next */
    type(next) {
      setText(next);
      drafts.set(projectId, next);
      note({ q: next, question: idOf(next) });
    },
    forget: () => drafts.delete(projectId),
  };
}

// AskForm asks a question, which the address may have: one of the questions of the project, or words of a
// search.
/** @param {{ context: Context, query: URLSearchParams }} props */
export function AskForm({ context, query }) {
  const { text, questionId, type, forget } = useDraft(context.id, query);
  const [mode, setMode] = useState(/** @type {AnswerMode} */ (config.usesModel ? 'quick' : 'passages'));
  const [persona, setPersona] = useState('');
  const [rejected, setRejected] = useState(0); // requests, whose answers are remembered under their keys
  const key = useMemo(newId, [text, mode, persona, rejected]); // of a request that may have to be repeated
  /** @type {Ref<HTMLTextAreaElement>} */
  const field = useRef();
  useKeys({ '/': () => field.current.focus() });
  useLayoutEffect(() => {
    // A keyboard on the screen would hide what is below.
    if (matchMedia('(pointer: fine)').matches) field.current.focus();
  }, []);
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { question } = valuesOf(form);
    const { answerId } = await ask(
      context.id,
      {
        question: question.trim(),
        mode,
        ...(persona && { scope: { personas: [persona] } }),
        ...(questionId && { questionId }),
      },
      key,
    ).catch((error) => {
      if (statusOf(error) === 422) setRejected(rejected + 1);
      throw error;
    });
    forget();
    note({ q: null, question: null });
    go(`/projects/${context.id}/ask?a=${answerId}`);
  }
  return html`
    <${Form} class="ask-form" send=${send} submit="Ask" disabled=${text.trim().length < LEAST}>
      <${Field} label="Question" hint="Each sentence of the answer is proven by the words of participants.">
        ${(p) => html`
          <textarea
            ...${p}
            ref=${field}
            name="question"
            rows="2"
            required
            minlength=${LEAST}
            maxlength=${MOST}
            placeholder="What do people do when a receipt is missing?"
            value=${text}
            onInput=${(e) => type(e.currentTarget.value)}
            onKeyDown=${(/** @type {KeyboardEvent & { currentTarget: HTMLTextAreaElement }} */ e) => {
              if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
              e.preventDefault();
              e.currentTarget.form?.requestSubmit();
            }}
          ></textarea>
        `}
      <//>
      <div class="row">
        ${
          config.usesModel &&
          html`
            <${Mode} value=${mode} onChange=${setMode} />
          `
        }
        ${
          context.personas.length > 0 &&
          html`
            <${Field} label="Whom">
              ${(p) => html`
                <select ...${p} value=${persona} onChange=${(e) => setPersona(e.currentTarget.value)}>
                  ${personaOptions(context.personas)}
                </select>
              `}
            <//>
          `
        }
      </div>
      ${
        mode === 'thorough' &&
        (persona
          ? html`
              <p class="hint">Reads the interviews with people of this persona from beginning to end.</p>
            `
          : html`
              <${WillRead} projectId=${context.id} />
            `)
      }
      ${
        mode === 'passages' &&
        html`
          <p class="note">
            This server has no AI model: you get the passages that have words in common with the question, and
            no answer.
          </p>
        `
      }
    <//>
  `;
}

/** @type {[AnswerMode, string, string][]} */
const modes = [
  ['quick', 'Quick', 'the passages that fit best, in seconds'],
  ['thorough', 'Read everything', 'every interview: only this can say that there is no answer'],
];

/** @param {{ value: AnswerMode, onChange: (mode: AnswerMode) => void }} props */
const Mode = ({ value, onChange }) => html`
  <fieldset class="radios modes">
    <legend>What is read</legend>
    ${modes.map(
      ([mode, name, what]) => html`
        <label key=${mode}>
          <input
            type="radio"
            name="mode"
            value=${mode}
            checked=${mode === value}
            onChange=${() => onChange(mode)}
          />
          <span>
            <b>${name}</b>
            : ${what}
          </span>
        </label>
      `,
    )}
  </fieldset>
`;
