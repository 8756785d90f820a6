// The interviews that say nothing about a hypothesis, or were not checked for it.
import { html } from '../../page/html.js';
import { count, names, number, percent } from '../../page/words.js';
import { interviewStatus, results, running, startable } from '../shared/interviewwords.js';
import { Empty, Tag } from '../../page/ui.js';
import { Elapsed } from '../interview/ongoing.js';

// gapsOf finds them among the answers to a hypothesis as it is worded now.
/**
 * @param {Answer[]} answers
 * @param {BoardImport[]} imports
 * @param {BoardImports} importOf
 * @returns {BoardGaps}
 */
export function gapsOf(answers, imports, importOf) {
  /** @param {Answer} a */
  const nameOf = (a) => ({ id: a.import_id, title: importOf.get(a.import_id)?.title ?? 'an interview' });
  const unanswered = answers
    .filter((a) => a.result === 'pending')
    .flatMap((a) => importOf.get(a.import_id) ?? []);
  const ended = unanswered.filter((i) => startable(i.status));
  const answered = new Set([
    ...answers.filter((a) => a.coverage > 0 || a.result !== 'pending').map((a) => a.import_id),
    ...ended.map((i) => i.id),
  ]);
  return {
    nothing: answers.filter((a) => a.result === 'nothing_found').map(nameOf),
    partly: answers
      .filter((a) => importOf.get(a.import_id)?.status === 'parsed' && a.coverage > 0 && a.coverage < 1)
      .map((a) => ({ ...nameOf(a), coverage: a.coverage })),
    pending: unanswered.filter((i) => running(i.status)),
    ended,
    unchecked: imports.filter((i) => !running(i.status) && !answered.has(i.id)),
  };
}

/** @type {BoardGaps} */
export const noGaps = { nothing: [], partly: [], pending: [], ended: [], unchecked: [] };

/** @param {InterviewName[]} interviews */
const links = (interviews) =>
  interviews.map(
    ({ id, title }, i) => html`
      ${i > 0 && ', '}
      <a href=${`/imports/${id}`} dir="auto">${title}</a>
    `,
  );

// Running says how far analyses are, and since when the first of them is under way.
/** @param {{ interviews: BoardImport[] }} props */
function Running({ interviews }) {
  /** @param {'progress_done' | 'progress_total'} name */
  const sum = (name) => interviews.reduce((n, row) => n + row[name], 0);
  const since = interviews
    .map((i) => i.started_at)
    .filter((at) => at !== null)
    .sort()
    .at(0);
  const total = sum('progress_total');
  const done = total > 0 && `${number(sum('progress_done'))} of ${count(total, 'part')} analysed`;
  return html`
    <span class="faint">
      ${done}${' '}
      <${Elapsed} since=${since} />
    </span>
  `;
}

// Gaps says which interviews say nothing about the hypothesis, or were not checked for it.
/** @param {{ gaps: BoardGaps, onCheck: false | (() => void) }} props */
export function Gaps({ gaps: { nothing, partly, pending, ended, unchecked }, onCheck }) {
  if (nothing.length + pending.length + ended.length + partly.length + unchecked.length === 0) return null;
  return html`
    <div class="gaps">
      ${
        nothing.length > 0 &&
        html`
          <p>
            <${Tag} kind="result nothing_found">${results.nothing_found}<//>
            ${' '}in ${links(nothing)}.
          </p>
        `
      }
      ${
        partly.length > 0 &&
        html`
          <p>
            <${Tag} kind="warn">partly analysed<//>
            ${' '}${partly.map(
              (i, n) => html`
                ${n > 0 && ', '}${links([i])} ${` (${percent(i.coverage)})`}
              `,
            )}.
          </p>
        `
      }
      ${
        pending.length > 0 &&
        html`
          <p>
            <${Tag}>no answer yet<//>
            ${' '}from ${links(pending)}.${' '}
            <${Running} interviews=${pending} />
          </p>
        `
      }
      ${
        ended.length > 0 &&
        html`
          <p>
            <${Tag}>no answer<//>
            ${' '}from${' '}
            ${ended.map(
              (i, n) => html`
                ${n > 0 && ', '}${links([i])} ${` (${interviewStatus[i.status]})`}
              `,
            )}.
          </p>
        `
      }
      ${
        unchecked.length > 0 &&
        html`
          <p>
            <${Tag}>not checked<//>
            ${' '}in ${count(unchecked.length, 'interview')}:${' '}
            <span dir="auto">${names(unchecked.map((i) => i.title))}</span>
            .${' '}
            ${
              onCheck &&
              html`
                <button class="link" onClick=${onCheck}>Check now</button>
              `
            }
          </p>
        `
      }
    </div>
  `;
}

const endedText = 'The analysis ended without an answer. Open the interview to see why, and to try again.';

// NothingYet says why a board has no quotes, and what to do about it.
/** @param {{ gaps: BoardGaps, projectId: string }} props */
export const NothingYet = ({ gaps: { nothing, pending, ended }, projectId }) => html`
  <${Empty} title="No evidence yet">
    <p>
      ${
        nothing.length > 0
          ? html`
              ${count(nothing.length, 'interview')} ${nothing.length === 1 ? 'was' : 'were'}${' '} searched
              for this hypothesis, and nothing was found. That is a result too. Ask about it in the next
              interview.
            `
          : pending.length > 0
            ? 'Interviews are still being searched for this hypothesis.'
            : ended.length > 0
              ? endedText
              : html`
                  No interview was searched for this hypothesis yet.${' '}
                  <a href=${`/projects/${projectId}/interviews`}>Upload one</a>
                  , or find evidence in an interview that was not analysed yet.
                `
      }
    </p>
  <//>
`;
