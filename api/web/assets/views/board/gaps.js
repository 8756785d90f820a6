// The interviews that say nothing about a hypothesis, or were not checked for it.
import { html } from '../../page/html.js';
import { config } from '../../client/session.js';
import { count, names, number, unmatchedText } from '../../page/words.js';
import { interviewStatus, results, running, startable } from '../shared/interviewwords.js';
import { byKeyword, foreignInterviews, readBy, unmatched } from '../shared/readings.js';
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
  const keyword = answers.filter(byKeyword);
  return {
    nothing: answers.filter((a) => a.result === 'nothing_found' && !unmatched(a)).map(nameOf),
    unmatched: keyword.filter(unmatched).map(nameOf),
    keyword: keyword.filter((a) => !running(importOf.get(a.import_id)?.status)).map(nameOf),
    mixed: answers.some((a) => a.model_coverage > 0),
    foreign: foreignInterviews(
      keyword.map((a) => ({ ...a, language: importOf.get(a.import_id)?.language ?? '' })),
    ),
    partly: answers
      .filter((a) => !running(importOf.get(a.import_id)?.status) && isPartly(a))
      .map((a) => ({ ...nameOf(a), readers: readBy(a.readings) })),
    pending: unanswered.filter((i) => running(i.status)),
    ended,
    unchecked: imports.filter((i) => !running(i.status) && !answered.has(i.id)),
  };
}

// What keyword matching read does not complete what a model read.
/** @param {Answer} a */
const isPartly = ({ coverage, model_coverage: byModel }) =>
  coverage > 0 && (byModel > 0 ? byModel : coverage) < 1;

/** @type {BoardGaps} */
export const noGaps = {
  nothing: [],
  unmatched: [],
  keyword: [],
  mixed: false,
  foreign: '',
  partly: [],
  pending: [],
  ended: [],
  unchecked: [],
};

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

// Gaps says which interviews say nothing about the hypothesis, or were not checked for it. onRead has a model
// read what only keyword matching has read.
/** @param {{ gaps: BoardGaps, onCheck: false | (() => void), onRead: false | (() => void) }} props */
export function Gaps({ gaps, onCheck, onRead }) {
  const { nothing, partly, pending, ended, unchecked } = gaps;
  const lists = [nothing, gaps.unmatched, gaps.keyword, pending, ended, partly, unchecked];
  if (lists.every((list) => list.length === 0)) return null;
  return html`
    <div class="gaps">
      <${ByKeyword} gaps=${gaps} onRead=${onRead} />
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
                ${n > 0 && ', '}${links([i])} ${` (${i.readers})`}
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

// ByKeyword says what only keyword matching has read, which tells little.
/** @param {{ gaps: BoardGaps, onRead: false | (() => void) }} props */
function ByKeyword({ gaps: { unmatched, keyword, mixed, foreign: languages }, onRead }) {
  return html`
    ${
      unmatched.length > 0 &&
      html`
        <p>
          <${Tag} kind="result unmatched">nothing by keywords<//>
          ${` ${unmatchedText} in `}${links(unmatched)}. It cannot tell more.
        </p>
      `
    }
    ${
      languages &&
      html`
        <p>
          <${Tag} kind="warn">languages<//>
          ${` ${languages}`}
        </p>
      `
    }
    ${
      keyword.length > 0 &&
      (mixed || config.usesModel) &&
      html`
        <p>
          <${Tag}>keyword match only<//>
          ${' '}in ${links(keyword)}.${' '}
          ${
            onRead &&
            config.usesModel &&
            html`
              <button class="link" onClick=${onRead}>Read with the AI model</button>
            `
          }
        </p>
      `
    }
  `;
}

const otherWords =
  'without finding anything that counts. People may have spoken about it in other words: read the ' +
  'transcripts, or word the hypothesis as people speak. An AI model reads for the meaning.';
const endedText = 'The analysis ended without an answer. Open the interview to see why, and to try again.';

/** @param {number} n */
const uncheckedText = (n) =>
  `No interview was checked for this hypothesis yet: ${n === 1 ? 'one waits' : `${n} wait`} for a check.`;

// NothingYet says why a board has no quotes, and what to do about it.
/** @param {{ gaps: BoardGaps, context: Context }} props */
export const NothingYet = ({ gaps: { nothing, unmatched, pending, ended, unchecked }, context }) => html`
  <${Empty} title="No evidence yet">
    <p>
      ${
        nothing.length > 0
          ? html`
              ${count(nothing.length, 'interview')} ${nothing.length === 1 ? 'was' : 'were'}${' '} searched
              for this hypothesis, and nothing was found. That is a result too. Ask about it in the next
              interview.
            `
          : unmatched.length > 0
            ? `Keywords were matched in ${count(unmatched.length, 'interview')}, ${otherWords}`
            : pending.length > 0
              ? 'Interviews are still being searched for this hypothesis.'
              : ended.length > 0
                ? endedText
                : unchecked.length > 0
                  ? uncheckedText(unchecked.length)
                  : context.canEdit
                    ? html`
                        There are no interviews yet.${' '}
                        <a href=${`/projects/${context.id}/interviews`}>Upload one</a>
                        ${' '}to have it searched for this hypothesis.
                      `
                    : 'There are no interviews yet: an editor of this workspace can upload some.'
      }
    </p>
  <//>
`;
