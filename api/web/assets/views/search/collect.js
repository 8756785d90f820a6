// Turns hits of a search into evidence: turns become quotes, and quotes are linked to one more hypothesis.
import { html, useState } from '../../page/html.js';
import { insert, list, remove } from '../../client/api.js';
import { byteLength } from '../transcript/bytes.js';
import { quoteOf } from '../transcript/highlight.js';
import { newId } from '../shared/ids.js';
import { useLoad } from '../../page/load.js';
import { count } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { toast } from '../../page/messages.js';
import { pickedIn, StancePicker } from '../shared/evidencedialogs.js';
import { suggest } from '../shared/suggesting.js';

/** @typedef {import('./hits.js').Selectable} Selectable */

/**
 * @typedef {object} NewQuote evidence that a turn becomes
 * @property {string} id
 * @property {string} import_id
 * @property {string} quote
 * @property {number} byte_start
 * @property {number} byte_end
 */

// quotesOf loads the selected turns, and returns the evidence that they become. The server checks each quote
// against the transcript.
/**
 * @param {Selectable[]} hits
 * @param {string} query
 * @param {AbortSignal} signal
 * @returns {Promise<NewQuote[]>}
 */
async function quotesOf(hits, query, signal) {
  const ordinals = /** @type {Map<string, number[]>} */ (new Map());
  for (const hit of hits.filter((h) => h.kind === 'utterance'))
    ordinals.set(hit.import_id, [...(ordinals.get(hit.import_id) ?? []), hit.ordinal]);
  const turns = await Promise.all(
    [...ordinals].map(([importId, wanted]) =>
      list(
        'utterances',
        {
          import_id: `eq.${importId}`,
          ordinal: `in.(${wanted.join()})`,
          select: 'import_id,ordinal,speaker,text,byte_start',
          order: 'ordinal',
        },
        { signal },
      ),
    ),
  );
  const forms = new Map(hits.map((hit) => [`${hit.import_id} ${hit.ordinal}`, hit.forms]));
  return turns.flat().map((turn) => {
    const { from, to } = quoteOf(turn.text, query, forms.get(`${turn.import_id} ${turn.ordinal}`) ?? []);
    const start = turn.byte_start + byteLength(turn.text, 0, from);
    const quote = turn.text.slice(from, to);
    return {
      id: newId(),
      import_id: turn.import_id,
      quote,
      byte_start: start,
      byte_end: start + byteLength(quote),
    };
  });
}

const NEW = ''; // instead of the id of a hypothesis

// Collect asks for a hypothesis, which may be a new one, and for the stance and the strength of hits, which
// become its evidence. query is what they were found with.
/**
 * @param {object} props
 * @param {Project} props.project
 * @param {Selectable[]} props.hits
 * @param {string} props.query
 * @param {() => void} props.onAdded
 * @param {() => void} props.onClose
 */
export function Collect({ project, hits, query, onAdded, onClose }) {
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [hypotheses, quotes] = await Promise.all([
        list(
          'hypotheses',
          { project_id: `eq.${project.id}`, select: 'id,statement', order: 'created_at,id' },
          { signal },
        ),
        quotesOf(hits, query, signal),
      ]);
      return { hypotheses, quotes };
    },
    [project.id],
  );
  return html`
    <${Dialog} title=${`Add ${count(hits.length, 'place')} as evidence`} onClose=${onClose} wide>
      <${Waiting} for=${{ data, error, reload }} />
      ${
        data &&
        html`
          <${Chosen}
            projectId=${project.id}
            hypotheses=${data.hypotheses}
            quotes=${data.quotes}
            existing=${hits.filter((hit) => hit.kind === 'quote')}
            onAdded=${onAdded}
            onClose=${onClose}
          />
        `
      }
    <//>
  `;
}

// Chosen is the form. quotes become evidence, which existing is already.
/**
 * @param {object} props
 * @param {string} props.projectId
 * @param {Pick<Hypothesis, 'id' | 'statement'>[]} props.hypotheses
 * @param {NewQuote[]} props.quotes
 * @param {QuoteHit[]} props.existing
 * @param {() => void} props.onAdded
 * @param {() => void} props.onClose
 */
function Chosen({ projectId, hypotheses, quotes, existing, onAdded, onClose }) {
  const [choice, setChoice] = useState(hypotheses.at(0)?.id ?? NEW);
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { statement } = valuesOf(form);
    const same = hypotheses.find((h) => h.statement === statement?.trim());
    if (choice !== NEW || same) await add(form, same?.id ?? choice);
    else await suggest({ id: projectId, set() {} }, statement, (h) => add(form, h.id));
    onAdded();
  }
  /** @param {HTMLFormElement} form @param {string} hypothesis */
  async function add(form, hypothesis) {
    const link = { hypothesis_id: hypothesis, project_id: projectId, ...pickedIn(form) };
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
        quotes.map((quote) => ({ ...quote, project_id: projectId, review: 'accepted' })),
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
  }

  return html`
    <${Form} send=${send} submit="Add evidence" onCancel=${onClose}>
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
              <input ...${p} name="statement" required pattern=".*\\S.*" maxlength="2000" />
            `}
          <//>
        `
      }
      <${StancePicker} strength="medium" />
    <//>
  `;
}
