// The parts of a hypothesis' board around its quotes.
import { html } from '../../page/html.js';
import { go } from '../../page/router.js';
import { count, names, number, percent } from '../../page/words.js';
import { interviewStatus, results } from '../shared/interviewwords.js';
import { Choice } from '../../page/form.js';
import { Dialog } from '../../page/dialog.js';
import { Tag } from '../../page/ui.js';
import { Summary } from '../hypotheses/answer.js';
import { Elapsed } from '../interview/estimate.js';

// Keys lists the keyboard shortcuts.
export function Keys({ onClose }) {
  const keys = {
    'j, k': 'next and previous quote',
    '← →': 'for, against, neutral',
    a: 'accept',
    r: 'reject',
    Enter: 'open the transcript at the quote',
    u: 'undo',
    e: 'edit',
    f: 'put in the findings, or take out',
    '[ ]': 'previous and next hypothesis',
    '?': 'show this list',
  };
  return html`
    <${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
      <dl class="keys">
        ${Object.entries(keys).map(
          ([key, text]) => html`
            <div key=${key}>
              <dt><kbd>${key}</kbd></dt>
              <dd>${text}</dd>
            </div>
          `,
        )}
      </dl>
    <//>
  `;
}

// Switch leads to the boards of the other hypotheses, with the same filters.
export function Switch({ hypotheses, current, people, toReview, hrefOf }) {
  return html`
    <nav class="switch" aria-label="Hypotheses">
      <h2>Hypotheses</h2>
      <ul>
        ${hypotheses.map((h) => {
          const n = toReview(h);
          return html`
            <li key=${h.id}>
              <a href=${hrefOf(h)} aria-current=${h === current ? 'true' : undefined}>
                <span class="statement" dir="auto">${h.statement}</span>
                <${Summary} people=${people?.get(h.id)} />
                ${
                  n > 0 &&
                  html`
                    <span class="dot" title=${`${n} to review`}>
                      <span class="unseen">${n} to review</span>
                    </span>
                  `
                }
              </a>
            </li>
          `;
        })}
      </ul>
      <${Choice}
        label="Hypothesis"
        value=${current.id}
        options=${Object.fromEntries(hypotheses.map((h) => [h.id, h.statement]))}
        onChange=${(h) => go(hrefOf({ id: h }), { replace: true })}
      />
    </nav>
  `;
}

const importLinks = (importOf, of) =>
  of.map(
    (a, i) => html`
      ${i > 0 && ', '}
      <a href=${`/imports/${a.import_id ?? a.id}`} dir="auto">
        ${importOf.get(a.import_id ?? a.id)?.title ?? 'an interview'}
      </a>
    `,
  );

// Running says how far analyses are, and since when the first of them is under way.
function Running({ rows }) {
  const sum = (name) => rows.reduce((n, row) => n + row[name], 0);
  const since = rows
    .map((row) => row.started_at)
    .filter(Boolean)
    .sort()[0];
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
export function Gaps({ importOf, nothing, partly, pending, ended, unchecked, onCheck }) {
  if (nothing.length + pending.length + ended.length + partly.length + unchecked.length === 0) return null;
  return html`
    <div class="gaps">
      ${
        nothing.length > 0 &&
        html`
          <p>
            <${Tag} kind="result nothing_found">${results.nothing_found}<//>
            ${' '}in ${importLinks(importOf, nothing)}.
          </p>
        `
      }
      ${
        partly.length > 0 &&
        html`
          <p>
            <${Tag} kind="warn">partly analysed<//>
            ${' '}${partly.map(
              (a, i) => html`
                ${i > 0 && ', '}${importLinks(importOf, [a])} ${` (${percent(a.coverage)})`}
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
            ${' '}from ${importLinks(importOf, pending)}.${' '}
            <${Running} rows=${pending.map((a) => importOf.get(a.import_id))} />
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
              (a, i) => html`
                ${i > 0 && ', '}${importLinks(importOf, [a])}
                ${` (${interviewStatus[importOf.get(a.import_id).status]})`}
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
