// The hypotheses of a project, with the balance of the evidence for each.
import { html, useState } from '../../page/html.js';
import { balances, people as loadPeople } from '../../client/people.js';
import { later } from '../../page/later.js';
import { useLoad } from '../../page/load.js';
import { categories, count, date, importances } from '../../page/words.js';
import { Empty, Title } from '../../page/ui.js';
import { Summary } from './summary.js';
import { Verdict } from './verdict.js';

const Challenges = later(async () => (await import('../decisions/challenges.js')).InList);
const Edit = later(async () => (await import('../project/edit.js')).Edit);
const Grid = later(async () => (await import('../project/grid.js')).Grid);
const KeywordOnly = later(async () => (await import('../interview/keywordonly.js')).KeywordOnly, {
  bare: true,
});
const Several = later(async () => (await import('../project/several.js')).Several, { bare: true });
const Steps = later(async () => (await import('../project/steps.js')).Steps, { bare: true });
const SeveralDialog = later(async () => (await import('../project/several.js')).SeveralDialog);

/** @typedef {{ of?: (h: Hypothesis) => Children }} Marks what the rows say about decisions */
/** @typedef {Hypothesis | 'new' | { several: string } | null} Edited */

/** @param {{ context: Context }} props */
export function Hypotheses({ context }) {
  const [edited, setEdited] = useState(/** @type {Edited} */ (null));
  const [marks, setMarks] = useState(/** @type {Marks} */ ({}));
  const { data: balanceOf } = useLoad((signal) => balances(context.id, signal), [context.id]);
  const people = useLoad(
    (signal) => loadPeople(context.id, context.hypotheses, signal),
    [context.id, context.hypotheses],
  );
  const { hypotheses } = context;
  const answers = [...(people.data?.of.values() ?? [])];
  const unmatched = answers.some((p) => p.unmatched > 0);
  const waiting = [...(balanceOf?.values() ?? [])].reduce((n, b) => n + b.suggested, 0);
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Hypotheses<//>
        ${
          hypotheses.length > 0 &&
          html`
            <p class="faint">
              ${count(hypotheses.length, 'hypothesis', 'hypotheses')}${
                waiting > 0 &&
                html`
                  ,${' '}
                  <a href=${`/projects/${context.id}/review`}>${count(waiting, 'quote')} to review</a>
                `
              }
            </p>
          `
        }
        ${
          context.canEdit &&
          html`
            ${
              hypotheses.length > 0 &&
              html`
                <button onClick=${() => setEdited({ several: '' })}>Add a list</button>
              `
            }
            <button class="primary" onClick=${() => setEdited('new')}>New hypothesis</button>
          `
        }
      </header>
      ${
        hypotheses.length === 0
          ? html`
              <${NoHypotheses} context=${context} />
            `
          : html`
              ${
                unmatched &&
                html`
                  <${KeywordOnly} context=${context} />
                `
              }
              <ul class="hypotheses">
                ${hypotheses.map(
                  (h) => html`
                    <${Row}
                      key=${h.id}
                      ...${{ context, h }}
                      people=${people.data?.of.get(h.id)}
                      toReview=${balanceOf?.get(h.id)?.suggested ?? 0}
                      mark=${marks.of?.(h)}
                      onEdit=${() => setEdited(h)}
                    />
                  `,
                )}
              </ul>
              ${
                hypotheses.some((h) => h.decided_at) &&
                html`
                  <${Challenges} context=${context} onMarks=${setMarks} />
                `
              }
              ${
                people.data &&
                answers.some((p) => p.participants.length > 0) &&
                html`
                  <${Grid} context=${context} people=${people.data.of} />
                `
              }
            `
      }
      ${
        context.canEdit &&
        html`
          <${Steps} context=${context} />
        `
      }
      ${
        edited &&
        edited !== 'new' &&
        'several' in edited &&
        html`
          <${SeveralDialog} context=${context} begin=${edited.several} onClose=${() => setEdited(null)} />
        `
      }
      ${
        edited &&
        (edited === 'new' || !('several' in edited)) &&
        html`
          <${Edit}
            context=${context}
            hypothesis=${edited === 'new' ? null : edited}
            onSeveral=${(/** @type {string} */ several) => setEdited({ several })}
            onClose=${() => setEdited(null)}
          />
        `
      }
    </main>
  `;
}

/** @param {{ context: Context }} props */
const NoHypotheses = ({ context }) => html`
  <${Empty} title="What do you believe?">
    <p>A hypothesis is a statement about your customers that an interview can support or contradict:</p>
    <p class="quote-like">Chasing missing receipts is the biggest time sink of the month-end close.</p>
    <p>
      ${
        context.canEdit
          ? 'Write down a few. Evidence against, from interviews, counts as much as evidence for.'
          : 'Nobody has written one yet: an editor of this workspace can.'
      }
    </p>
    ${
      context.canEdit &&
      html`
        <${Several}
          context=${context}
          onAdded=${() => /** @type {HTMLElement} */ (document.querySelector('main h1')).focus()}
        />
      `
    }
  <//>
`;

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.h
 * @param {People | undefined} props.people
 * @param {number} props.toReview
 * @param {Children} props.mark
 * @param {() => void} props.onEdit
 */
function Row({ context, h, people, toReview, mark, onEdit }) {
  const persona = context.personas.find((p) => p.id === h.persona_id);
  return html`
    <li class=${'hypothesis ' + h.status}>
      <div class="what">
        <a class="statement" dir="auto" href=${`/projects/${context.id}/evidence?h=${h.id}`}>
          ${h.statement}
        </a>
        <p class="meta">
          <span class=${'importance ' + h.importance}>${importances[h.importance]} importance</span>
          <span>${categories[h.category]}</span>
          ${
            h.persona_id &&
            html`
              <span dir="auto">${persona?.name}</span>
            `
          }
          ${
            h.decided_at &&
            h.status !== 'untested' &&
            html`
              <span dir="auto" title=${h.decision_reason}>decided ${date(h.decided_at)}</span>
            `
          }
        </p>
        ${mark}
      </div>
      <div class="counts">
        <${Summary} people=${people} />
        ${
          toReview > 0 &&
          html`
            <span class="faint">${toReview} to review</span>
          `
        }
      </div>
      <div class="verdict">
        <${Verdict} context=${context} hypothesis=${h} />
        ${
          context.canEdit &&
          html`
            <button class="quiet" aria-label=${`Edit: ${h.statement}`} onClick=${onEdit}>Edit</button>
          `
        }
      </div>
    </li>
  `;
}
