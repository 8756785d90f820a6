// The guide of the next interview: what to ask, and whom, on one page that can be printed.
import { html } from '../../page/html.js';
import { call, download } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';
import { Title, Waiting } from '../../page/ui.js';
import { count, importances } from '../../page/words.js';
import { fileName, save } from '../export/save.js';

/** @param {{ context: Context }} props */
export function Guide({ context }) {
  const path = `/api/project/${context.id}/guide`;
  const guide = useLoad(
    async (signal) => /** @type {InterviewGuide} */ ((await call(path, { signal })).body),
    [path],
  );
  const { data } = guide;
  /** @param {(text: string) => unknown} use @param {string} done */
  async function asMarkdown(use, done) {
    try {
      await use(await (await download(path, { Accept: 'text/markdown' })).text());
      toast(done);
    } catch (error) {
      problem(error);
    }
  }
  return html`
    <main id="main" class="page guide-page">
      <header class="head">
        <${Title}>Next interview<//>
        <div class="tasks" role="group" aria-label="Guide">
          <button disabled=${!data} onClick=${() => window.print()}>Print or PDF</button>
          ${
            navigator.clipboard &&
            html`
              <button
                disabled=${!data}
                onClick=${() => asMarkdown((text) => navigator.clipboard.writeText(text), 'Copied.')}
              >
                Copy as Markdown
              </button>
            `
          }
          <button
            disabled=${!data}
            onClick=${() =>
              asMarkdown(
                (text) =>
                  save(
                    fileName([context.project.name, 'next interview'], 'md'),
                    'text/markdown;charset=utf-8',
                    text,
                  ),
                'Saved.',
              )}
          >
            Save as Markdown
          </button>
        </div>
      </header>
      <${Waiting} for=${guide} />
      ${
        data &&
        html`
          <p class="project-name" dir="auto">${context.project.name}</p>
          <${First} context=${context} guide=${data} />
          <p class="ask" dir="auto">${data.ask}</p>
          <${ToAsk} context=${context} guide=${data} />
          <${StillOpen} context=${context} guide=${data} />
          <${LeftOut} context=${context} guide=${data} />
        `
      }
    </main>
  `;
}

/** @typedef {{ context: Context, guide: InterviewGuide }} Props */

// First says what makes the guide better, where it can only ask in general.
/** @param {Props} props */
function First({ context, guide }) {
  if (guide.hypotheses.length > 0) return null;
  return html`
    <p class="note">
      ${firstStep(context)}${' '}
      <a href=${`/projects/${context.id}`}>Hypotheses</a>
      . Until then, these questions are general.
    </p>
  `;
}

/** @param {Context} context */
function firstStep({ canEdit, hypotheses }) {
  if (hypotheses.length > 0) return 'Every hypothesis is decided or parked. To go on, one must be open:';
  if (canEdit) return 'Write down what you believe first:';
  return 'Editors of this workspace write down hypotheses first:';
}

/** @param {Props} props */
function ToAsk({ context, guide }) {
  return html`
    <section aria-labelledby="guide-questions">
      <h2 id="guide-questions">Questions</h2>
      <ol class="to-ask">
        ${guide.questions.map(
          (q) => html`
            <li key=${q.text}>
              <p class="statement" dir="auto">${q.text}</p>
              ${
                q.hypothesisId &&
                html`
                  <p class="tests">
                    Tests:${' '}
                    <a dir="auto" href=${`/projects/${context.id}/evidence?h=${q.hypothesisId}`}>
                      ${q.statement}
                    </a>
                  </p>
                `
              }
              <p class="meta">${q.why}</p>
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}

// StillOpen lists the hypotheses that the questions are about, the most urgent first.
/** @param {Props} props */
function StillOpen({ context, guide }) {
  const tested = new Set(guide.questions.map((q) => q.hypothesisId));
  const open = guide.hypotheses.filter((h) => tested.has(h.id));
  if (open.length === 0) return null;
  const more = guide.hypotheses.length > open.length;
  return html`
    <section aria-labelledby="guide-open">
      <h2 id="guide-open">What is still open</h2>
      <ol class="still-open">
        ${open.map(
          (h) => html`
            <li key=${h.id}>
              <p dir="auto">${h.statement}</p>
              <p class="meta">
                <span class=${`importance ${h.importance}`}>${importances[h.importance]} importance</span>
                <span>${known(h)}</span>
                ${
                  !h.ready &&
                  html`
                    <${Unready} context=${context} />
                  `
                }
              </p>
            </li>
          `,
        )}
      </ol>
      ${
        more &&
        html`
          <p class="meta">More is open: a later interview can ask about it.</p>
        `
      }
    </section>
  `;
}

// Unready says of a hypothesis that no answer could prove it wrong yet.
/** @param {{ context: Context }} props */
const Unready = ({ context }) =>
  context.canEdit
    ? html`
        <span class="warn">
          Say first what would${' '}
          <a href=${`/projects/${context.id}`}>prove it wrong</a>
          .
        </span>
      `
    : html`
        <span class="warn">Nothing says what would prove it wrong.</span>
      `;

// known says how many people spoke about a hypothesis.
/** @param {OpenHypothesis} hypothesis */
function known({ people, supporting, contradicting, mixed }) {
  if (people === 0) return 'no interview was read for it yet';
  const both = mixed > 0 ? `, ${mixed} mixed` : '';
  return `${supporting} for, ${contradicting} against${both}, of ${count(people, 'person', 'people')}`;
}

/** @param {Props} props */
function LeftOut({ context, guide }) {
  if (guide.leftOut.length === 0) return null;
  return html`
    <section class="left-out" aria-labelledby="guide-left-out">
      <h2 id="guide-left-out">Left out</h2>
      <p>
        These suggest their answer.
        ${
          context.canEdit &&
          html`
            ${' '}Change them in${' '}
            <a href=${`/projects/${context.id}/questions`}>Questions</a>
            .
          `
        }
      </p>
      <ul>
        ${guide.leftOut.map(
          (q) => html`
            <li key=${q.questionId} dir="auto">${q.text}</li>
          `,
        )}
      </ul>
    </section>
  `;
}
