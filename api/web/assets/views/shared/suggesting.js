// Hypotheses that somebody writes down because of a quote.
import { insert, remove } from '../../client/api.js';
import { hypothesisColumns } from '../hypotheses/verdict.js';

/** @param {string} statement */
const plain = (statement) => statement.trim().replace(/\s+/g, ' ').replace(/\.$/, '').toLowerCase();

// isNew reports whether a text can become a hypothesis: it is none yet.
/** @param {{ hypotheses: Pick<Hypothesis, 'statement'>[] }} context @param {string} text */
export const isNew = ({ hypotheses }, text) =>
  text.trim() !== '' && hypotheses.every((h) => plain(h.statement) !== plain(text));

// suggest adds a hypothesis and what link stores for it, and returns that. Either all of it is stored or
// nothing.
/**
 * @template T
 * @param {Pick<Context, 'id' | 'set'>} context
 * @param {string} statement
 * @param {(h: Hypothesis) => Promise<T>} link
 * @returns {Promise<T>}
 */
export async function suggest(context, statement, link) {
  /** @type {Hypothesis} */
  const row = await insert(
    'hypotheses',
    { project_id: context.id, statement: statement.trim() },
    hypothesisColumns,
  );
  try {
    const linked = await link(row);
    context.set((d) => ({ ...d, hypotheses: [...d.hypotheses, row] }));
    return linked;
  } catch (error) {
    await remove('hypotheses', { id: `eq.${row.id}` }).catch(() => {});
    throw error;
  }
}
