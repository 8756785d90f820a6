// The turns around a quote.
import { useEffect, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';

const TURNS = 2; // shown before and after the quote
const REACH = 12; // utterances loaded before and after it, because a turn may have several

/**
 * @typedef {{ speaker: string, inside: boolean, utterances: Utterance[] }} Turn
 * inside: it has words of the quote
 */

// turnsAround loads the utterances around a quote, and groups those of one speaker.
/** @param {Quote} row @param {AbortSignal} signal @returns {Promise<Turn[]>} */
async function turnsAround(row, signal) {
  const { byte_start: start, byte_end: end, utterance_from: from, utterance_to: to } = row;
  if (start === null || end === null || from === null || to === null) return [];
  const utterances = await list(
    'utterances',
    {
      import_id: `eq.${row.import_id}`,
      ordinal: [`gte.${from - REACH}`, `lte.${to + REACH}`],
      select: 'ordinal,speaker,start_ms,text,byte_start,byte_end',
      order: 'ordinal',
    },
    { signal },
  );
  /** @type {Turn[]} */
  const turns = [];
  for (const u of utterances) {
    const inside = u.byte_start < end && u.byte_end > start;
    const last = turns.at(-1);
    if (last && last.speaker === u.speaker && last.inside === inside) last.utterances.push(u);
    else turns.push({ speaker: u.speaker, inside, utterances: [u] });
  }
  const first = turns.findIndex((turn) => turn.inside);
  const last = turns.findLastIndex((turn) => turn.inside);
  return turns.slice(Math.max(0, first - TURNS), last + 1 + TURNS);
}

// useTurns returns the turns around a quote: null until those of the first quote are loaded, and none if they
// could not be loaded. Those of the next quotes are loaded too, so that a lost connection does not stop the
// review.
/** @param {Quote | undefined} row @param {(Quote | undefined)[]} next @returns {Turn[] | null} */
export function useTurns(row, next) {
  const [, again] = useState(0);
  const known = useRef(/** @type {Map<string, Turn[]>} */ (new Map()));
  const failed = useRef(/** @type {Set<string>} */ (new Set()));
  const begun = useRef(false);
  useEffect(() => {
    const control = new AbortController();
    for (const one of [row, ...next]) {
      if (!one || known.current.get(one.id)) continue;
      turnsAround(one, control.signal).then(
        (turns) => {
          known.current.set(one.id, turns);
          again((n) => n + 1);
        },
        () => {
          if (control.signal.aborted) return;
          failed.current.add(one.id);
          again((n) => n + 1);
        },
      );
    }
    return () => control.abort();
  }, [row?.id]);
  if (!row) return null;
  begun.current ||= known.current.has(row.id) || failed.current.has(row.id);
  return known.current.get(row.id) ?? (begun.current ? [] : null);
}
