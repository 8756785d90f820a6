// The themes that a model proposes, each with its quotes: people accept them, under another name or not, or
// dismiss them.
import { html, useState } from '../../page/html.js';
import { ApiError, codeOf } from '../../client/http.js';
import { Form, valuesOf } from '../../page/form.js';
import { problem } from '../../page/messages.js';
import { count } from '../../page/words.js';
import { countsOf } from './counts.js';

const SHOWN = 3; // quotes of a proposal at first

// proposalsOf returns the proposed themes with their quotes, those of most people first.
/** @param {ThemesData} data */
export function proposalsOf({ themes, quotes, links }) {
  const proposed = [...themes.values()].filter(({ status }) => status === 'proposed');
  const of = new Map(proposed.map(({ id }) => [id, /** @type {Themed[]} */ ([])]));
  if (proposed.length > 0)
    for (const quote of quotes)
      for (const l of links.get(quote.id) ?? []) if (l.review !== 'rejected') of.get(l.theme_id)?.push(quote);
  return proposed
    .map((theme) => {
      const own = of.get(theme.id) ?? [];
      const people = new Set(own.flatMap(({ counts, person }) => (counts && person) || []));
      return { theme, own, people: people.size };
    })
    .sort((a, b) => b.people - a.people || b.own.length - a.own.length);
}

/** @typedef {ReturnType<typeof proposalsOf>[number]} Proposal */

/**
 * @param {object} props
 * @param {Proposal[]} props.proposals
 * @param {ThemeActs} props.acts
 * @param {boolean} props.canEdit
 * @param {(theme: string) => void} props.onAccepted
 */
export const Proposals = ({ proposals, acts, canEdit, onAccepted }) =>
  proposals.length > 0 &&
  html`
    <section class="proposals" aria-labelledby="proposals">
      <h2 id="proposals">${count(proposals.length, 'proposed theme')}</h2>
      <p class="hint">
        The AI model grouped what is about none of your hypotheses and themes. A theme counts once you accept
        it.
      </p>
      <ul>
        ${proposals.map(
          (proposal) => html`
            <li key=${proposal.theme.id}>
              <${Proposed} ...${{ proposal, acts, canEdit, onAccepted }} />
            </li>
          `,
        )}
      </ul>
    </section>
  `;

/**
 * @param {object} props
 * @param {Proposal} props.proposal
 * @param {ThemeActs} props.acts
 * @param {boolean} props.canEdit
 * @param {(theme: string) => void} props.onAccepted
 */
function Proposed({ proposal: { theme, own, people }, acts, canEdit, onAccepted }) {
  const [all, setAll] = useState(false);
  const [naming, setNaming] = useState(false);
  const [busy, setBusy] = useState(false);
  const shown = all ? own : own.slice(0, SHOWN);
  /** @param {string} [name] */
  async function accept(name) {
    await acts.accept(theme, name);
    onAccepted(theme.id);
  }
  return html`
    <article aria-label=${theme.name}>
      <h3 dir="auto">${theme.name}</h3>
      <p class="meta">${countsOf({ people, quotes: own.length })}</p>
      ${
        theme.description &&
        html`
          <p dir="auto">${theme.description}</p>
        `
      }
      <ul class="proposed-quotes">
        ${shown.map(
          (quote) => html`
            <li key=${quote.id}>
              <blockquote dir="auto">${quote.quote}</blockquote>
              <p class="meta">
                <b dir="auto">${quote.speaker}</b>
                ${
                  quote.importId &&
                  html`
                    <a href=${`/imports/${quote.importId}?e=${quote.id}`} dir="auto">
                      ${quote.title || 'transcript'}
                    </a>
                  `
                }
                ${
                  canEdit &&
                  html`
                    <button
                      class="link"
                      aria-label=${`Not part of ${theme.name}: ${quote.quote.slice(0, 60)}`}
                      onClick=${() => acts.take([[theme.id, [quote.id]]])}
                    >
                      Not part of it
                    </button>
                  `
                }
              </p>
            </li>
          `,
        )}
      </ul>
      ${
        own.length > SHOWN &&
        html`
          <button class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
            ${all ? 'Show fewer' : `Show all ${own.length} quotes`}
          </button>
        `
      }
      ${
        canEdit &&
        (naming
          ? html`
              <${Naming} theme=${theme} accept=${accept} onClose=${() => setNaming(false)} />
            `
          : html`
              <div class="actions">
                <button class="quiet" disabled=${busy} onClick=${() => acts.dismiss(theme)}>Dismiss</button>
                <button disabled=${busy} onClick=${() => setNaming(true)}>Rename and accept</button>
                <button
                  class="primary"
                  disabled=${busy}
                  onClick=${async () => {
                    setBusy(true);
                    await accept().catch(problem);
                    setBusy(false);
                  }}
                >
                  Accept
                </button>
              </div>
            `)
      }
    </article>
  `;
}

/** @param {{ theme: Theme, accept: (name: string) => Promise<void>, onClose: () => void }} props */
const Naming = ({ theme, accept, onClose }) => html`
  <${Form}
    class="naming"
    submit="Accept"
    onCancel=${onClose}
    send=${async (/** @type {HTMLFormElement} */ form) => {
      const name = valuesOf(form).name.trim();
      try {
        await accept(name);
      } catch (error) {
        if (codeOf(error) !== '23505') throw error;
        throw new ApiError(`A theme has the name “${name}” already.`, { status: 409, code: '23505' });
      }
    }}
  >
    <input
      name="name"
      aria-label="Name"
      required
      maxlength="120"
      autocomplete="off"
      defaultValue=${theme.name}
      ref=${(/** @type {HTMLInputElement | null} */ input) => input?.select()}
    />
  <//>
`;
