// What comes of the file of another program, and what does not.
import { html } from '../../page/html.js';
import { count, number } from '../../page/words.js';

/** @type {Record<string, [one: string, many: string]>} */
const kinds = {
  source: ['source', 'sources'],
  coding: ['coding', 'codings'],
  code: ['code', 'codes'],
  note: ['note', 'notes'],
};

// summary lists what is new: "3 interviews, 12 themes and 140 quotes". Codings are those of quotes that are
// here already.
/** @param {ProjectImport} read */
export function summary({ imported, themes, hypotheses, quotes, codings }) {
  const parts = [
    imported > 0 && count(imported, 'interview'),
    themes > 0 && count(themes, 'theme'),
    hypotheses > 0 && count(hypotheses, 'hypothesis', 'hypotheses'),
    quotes > 0 && count(quotes, 'quote'),
    codings > 0 && count(codings, 'coding of a quote', 'codings of quotes'),
  ].filter((part) => part !== false);
  if (parts.length < 2) return parts[0] ?? '';
  return `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;
}

/** @param {ProjectImport['known']} known */
const here = ({ interviews, themes, quotes }) =>
  [
    interviews > 0 && count(interviews, 'interview'),
    themes > 0 && count(themes, 'theme'),
    quotes > 0 && count(quotes, 'quote'),
  ]
    .filter(Boolean)
    .join(', ');

// skippedOf counts what does not come by kind: "2 sources, 5 codings".
/** @param {ProjectImport} read */
function skippedOf({ skipped, skippedCount }) {
  if (skipped.length < skippedCount) return number(skippedCount);
  const sums = new Map();
  for (const { what } of skipped) {
    const kind = what in kinds ? what : 'other';
    sums.set(kind, (sums.get(kind) ?? 0) + 1);
  }
  return [...sums]
    .map(([kind, n]) => (kind in kinds ? count(n, ...kinds[kind]) : count(n, 'other thing', 'other things')))
    .join(', ');
}

// Coming shows an answer to an import, or to a dry run.
/** @param {{ read: ProjectImport }} props */
export function Coming({ read }) {
  const known = here(read.known);
  return html`
    <p>
      <b>${summary(read) ? `New: ${summary(read)}.` : 'Nothing in this file is new.'}</b>
      ${known && ` Here already, and not added again: ${known}.`}
      ${
        read.users > 1 &&
        ` ${count(read.users, 'person has', 'people have')} coded in the file; their quotes come as yours.`
      }
    </p>
    ${
      read.interviews.length > 0 &&
      html`
        <details>
          <summary>${count(read.interviews.length, 'interview')}</summary>
          <ul>
            ${read.interviews.map(
              (one) => html`
                <li dir="auto">
                  ${one.title}: ${count(one.quotes, 'new quote')}${one.known ? ', here already' : ''}
                </li>
              `,
            )}
          </ul>
        </details>
      `
    }
    ${
      read.themeNames.length > 0 &&
      html`
        <details>
          <summary>${count(read.themes, 'new theme')}</summary>
          <ul>
            ${read.themeNames.map(
              (name) => html`
                <li dir="auto">${name}</li>
              `,
            )}
          </ul>
        </details>
      `
    }
    <${Reasons} title="Comes in another way" lines=${read.warnings} />
    ${
      read.skippedCount > 0 &&
      html`
        <${Reasons}
          title=${`Does not come: ${skippedOf(read)}`}
          lines=${read.skipped.map(({ name, reason }) => `${name}: ${reason}`)}
        />
      `
    }
  `;
}

/** @param {{ title: string, lines: string[] }} props */
const Reasons = ({ title, lines }) =>
  lines.length > 0 &&
  html`
    <details open=${lines.length <= 12}>
      <summary>${title}</summary>
      <ul>
        ${lines.map(
          (line) => html`
            <li dir="auto">${line}</li>
          `,
        )}
      </ul>
    </details>
  `;
