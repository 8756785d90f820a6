// Turns hits of a search into evidence: turns become quotes, and quotes are linked to one more hypothesis.
import { html } from '../../page/html.js';
import { list } from '../../client/api.js';
import { byteLength } from '../transcript/bytes.js';
import { quoteOf } from '../transcript/highlight.js';
import { newId } from '../shared/ids.js';
import { useLoad } from '../../page/load.js';
import { count } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Waiting } from '../../page/ui.js';
import { CollectForm } from '../shared/collecting.js';

/** @typedef {import('./hits.js').Selectable} Selectable */

/** @typedef {import('../shared/collecting.js').NewQuote} NewQuote evidence that a turn becomes */

// turnsOf loads the selected turns, and returns their ordinals and the quotes that they become. The server
// checks each quote against the transcript.
/**
 * @param {Selectable[]} hits
 * @param {string} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ ordinal: number, quote: NewQuote }[]>}
 */
export async function turnsOf(hits, query, signal) {
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
      ordinal: turn.ordinal,
      quote: {
        id: newId(),
        import_id: turn.import_id,
        quote,
        byte_start: start,
        byte_end: start + byteLength(quote),
      },
    };
  });
}

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
      const [hypotheses, turns] = await Promise.all([
        list(
          'hypotheses',
          { project_id: `eq.${project.id}`, select: 'id,statement', order: 'created_at,id' },
          { signal },
        ),
        turnsOf(hits, query, signal),
      ]);
      return { hypotheses, quotes: turns.map(({ quote }) => quote) };
    },
    [project.id],
  );
  return html`
    <${Dialog} title=${`Add ${count(hits.length, 'place')} as evidence`} onClose=${onClose} wide>
      <${Waiting} for=${{ data, error, reload }} />
      ${
        data &&
        html`
          <${CollectForm}
            context=${{ id: project.id, set() {} }}
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
