// The form that makes quotes of transcripts evidence for a hypothesis.
import { html, useState } from '../../page/html.js';
import { insert, list, remove } from '../../client/api.js';
import { count } from '../../page/words.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { toast } from '../../page/messages.js';
import { pickedIn, StancePicker } from './evidencedialogs.js';
import { suggest } from './suggesting.js';

/**
 * @typedef {object} NewQuote evidence that words of a transcript become
 * @property {string} id
 * @property {string} import_id
 * @property {string} quote
 * @property {number} byte_start
 * @property {number} byte_end
 */

const NEW = ''; // instead of the id of a hypothesis

// CollectForm asks for a hypothesis, which may be a new one with this statement, and for the stance and the
// strength of quotes. They become its evidence, which existing is already. onAdded gets the id of the
// hypothesis.
/**
 * @param {object} props
 * @param {Pick<Context, 'id' | 'set'>} props.context
 * @param {Pick<Hypothesis, 'id' | 'statement'>[]} props.hypotheses
 * @param {NewQuote[]} props.quotes
 * @param {{ id: string, text: string }[]} props.existing
 * @param {string} [props.statement]
 * @param {string} [props.submit]
 * @param {(hypothesisId: string) => unknown} props.onAdded
 * @param {() => void} props.onClose
 */
export function CollectForm({ context, hypotheses, quotes, existing, ...props }) {
  const { statement: proposed = '', submit = 'Add evidence', onAdded, onClose } = props;
  const [choice, setChoice] = useState(proposed ? NEW : (hypotheses.at(0)?.id ?? NEW));
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { statement } = valuesOf(form);
    const same = hypotheses.find((h) => h.statement === statement?.trim());
    if (choice !== NEW || same) await onAdded(await add(form, same?.id ?? choice));
    else await onAdded(await suggest(context, statement, (h) => add(form, h.id)));
  }
  /** @param {HTMLFormElement} form @param {string} hypothesis */
  async function add(form, hypothesis) {
    const link = { hypothesis_id: hypothesis, project_id: context.id, ...pickedIn(form) };
    const linked =
      existing.length === 0
        ? []
        : await list('evidence_hypotheses', {
            hypothesis_id: `eq.${hypothesis}`,
            evidence_id: `in.(${existing.map((hit) => hit.id).join()})`,
            select: 'evidence_id',
            order: 'evidence_id',
          });
    const known = new Set(linked.map((l) => l.evidence_id));
    if (quotes.length > 0)
      await insert(
        'evidence',
        quotes.map((quote) => ({ ...quote, project_id: context.id, review: 'accepted' })),
        'id',
      );
    const ids = [...quotes, ...existing.filter((hit) => !known.has(hit.id))].map(({ id }) => id);
    try {
      if (ids.length > 0)
        await insert(
          'evidence_hypotheses',
          ids.map((id) => ({ ...link, evidence_id: id })),
          'evidence_id',
        );
    } catch (e) {
      const added = quotes.map((quote) => quote.id);
      if (added.length > 0) await remove('evidence', { id: `in.(${added.join()})` }).catch(() => {});
      throw e;
    }
    toast(
      known.size === 0
        ? `${count(ids.length, 'quote')} added as evidence, word for word from the transcripts.`
        : `${count(ids.length, 'quote')} added as evidence. ` +
            `${known.size} had a stance on this hypothesis already.`,
    );
    return hypothesis;
  }

  return html`
    <${Form} send=${send} submit=${submit} onCancel=${onClose}>
      <ul class="collected" aria-label="Quotes" tabindex="0">
        ${[...quotes.map((q) => q.quote), ...existing.map((hit) => hit.text)].map(
          (text) => html`
            <li><blockquote dir="auto">${text}</blockquote></li>
          `,
        )}
      </ul>
      <${Field} label="Hypothesis">
        ${(p) => html`
          <select ...${p} value=${choice} onChange=${(e) => setChoice(e.currentTarget.value)}>
            ${hypotheses.map(
              (h) => html`
                <option key=${h.id} value=${h.id}>${h.statement}</option>
              `,
            )}
            <option value=${NEW}>A new one…</option>
          </select>
        `}
      <//>
      ${
        choice === NEW &&
        html`
          <${Field} label="New hypothesis" hint="What these places say, as a statement that can be wrong.">
            ${(p) => html`
              <input
                ...${p}
                name="statement"
                required
                pattern=".*\\S.*"
                maxlength="2000"
                defaultValue=${proposed}
              />
            `}
          <//>
        `
      }
      <${StancePicker} strength="medium" />
    <//>
  `;
}
