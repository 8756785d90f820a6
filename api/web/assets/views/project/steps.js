// The first steps of a project: they are done by what exists, not by being clicked.
import { html, useState } from '../../page/html.js';
import { one } from '../../client/api.js';
import { session } from '../../client/session.js';
import { useLoad } from '../../page/load.js';

/** @param {string} projectId */
const keyOf = (projectId) => `first-steps ${session.get().user?.id} ${projectId}`;

// wasLeft reports whether the user has put the steps of a project away in this browser.
/** @param {string} projectId */
function wasLeft(projectId) {
  try {
    return localStorage.getItem(keyOf(projectId)) !== null;
  } catch {
    return false; // the browser keeps nothing
  }
}

/** @param {string} projectId @param {boolean} left */
function keep(projectId, left) {
  try {
    if (left) localStorage.setItem(keyOf(projectId), 'left');
    else localStorage.removeItem(keyOf(projectId));
  } catch {
    // They are put away until the page is loaded again.
  }
}

/** @param {Hypothesis} h */
const isDecided = ({ status }) =>
  status === 'validated' || status === 'invalidated' || status === 'inconclusive';

// Steps shows what to do first, until all of it is done. They can be put away, and opened again.
/** @param {{ context: Context }} props */
export function Steps({ context }) {
  const [left, setLeft] = useState(() => wasLeft(context.id));
  const { data } = useLoad(
    async (signal) => {
      const of = { project_id: `eq.${context.id}`, select: 'id' };
      const found = { ...of, select: 'id,evidence_hypotheses!inner()' }; // quotes of themes are no answers
      const [upload, quote, judgement] = await Promise.all([
        one('imports', of, { signal }),
        one('evidence', found, { signal }),
        one('evidence', { ...found, review: 'in.(accepted,rejected)' }, { signal }),
      ]);
      return { uploaded: !!upload, found: !!quote, judged: !!judgement };
    },
    [context.id],
  );
  if (!data) return null;
  const at = `/projects/${context.id}`;
  const steps = [
    {
      done: context.hypotheses.length > 0,
      text: 'Write down what you believe',
      why: 'Statements that what people say can support or contradict.',
      href: at, // this page
    },
    {
      done: data.uploaded,
      text: 'Upload what people said',
      why: 'Transcripts in any format; who speaks is asked where it is doubtful.',
      href: `${at}/interviews`,
    },
    {
      done: data.judged,
      text: 'Judge what was found',
      why: data.found
        ? 'Accept or reject each quote, with one key.'
        : data.uploaded
          ? 'Nothing was found yet: find evidence in what you uploaded.'
          : 'Find evidence in what you upload, then accept or reject each quote.',
      href: data.found ? `${at}/review` : `${at}/interviews`,
    },
    {
      done: context.hypotheses.some(isDecided),
      text: 'Decide',
      why: 'A verdict on a hypothesis, with its reason.',
      href: `${at}/evidence`,
    },
  ];
  const done = steps.filter((s) => s.done).length;
  if (done === steps.length) return null;
  /** @param {boolean} next */
  function leave(next) {
    setLeft(next);
    keep(context.id, next);
  }
  if (left)
    return html`
      <p class="first-steps-left">
        <button class="link" onClick=${() => leave(false)}>
          First steps: ${done} of ${steps.length} done
        </button>
      </p>
    `;
  const next = steps.findIndex((s) => !s.done);
  return html`
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <button class="quiet small" onClick=${() => leave(true)}>Hide</button>
      <ol>
        ${steps.map(
          (step, i) => html`
            <${Step} key=${step.text} ...${step} isNext=${i === next} linked=${i > 0} />
          `,
        )}
      </ol>
    </section>
  `;
}

/**
 * @param {object} props
 * @param {boolean} props.done
 * @param {string} props.text
 * @param {string} props.why
 * @param {string} props.href
 * @param {boolean} props.isNext
 * @param {boolean} props.linked
 */
const Step = ({ done, text, why, href, isNext, linked }) => html`
  <li class=${done ? 'done' : ''} aria-current=${isNext ? 'step' : undefined}>
    <b>
      ${
        done &&
        html`
          <span aria-hidden="true">✓${' '}</span>
        `
      }
      ${
        isNext && linked
          ? html`
              <a href=${href}>${text}</a>
            `
          : text
      }
      ${
        done &&
        html`
          <span class="unseen">${' '}(done)</span>
        `
      }
    </b>
    <span class="faint">${why}</span>
  </li>
`;
