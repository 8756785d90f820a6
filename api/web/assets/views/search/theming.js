// Gives hits of a search a theme: turns become quotes.
import { html, useState } from '../../page/html.js';
import { chosenOf, codeAll, takeTheme } from '../shared/coding.js';
import { ThemePopup } from '../shared/themepopup.js';
import { useThemes } from '../shared/themes.js';
import { problem } from '../../page/messages.js';
import { turnsOf } from './collect.js';
import { keyOf } from './hits.js';

/** @typedef {import('./hits.js').Selectable} Selectable */
/** @typedef {{ hits: Selectable[], anchor: Element | null }} Asked hits to which a theme is to be given */

// collectedOf returns the quotes that hits are or become, and the new ones by their ids.
/** @param {Selectable[]} hits @param {string} query */
async function collectedOf(hits, query) {
  const existing = hits.flatMap((hit) => hit.coded?.id ?? hit.id ?? []);
  const turns = hits.filter((hit) => !hit.coded && hit.kind === 'utterance');
  const made = turns.length > 0 ? await turnsOf(turns, query) : [];
  return { made, fresh: made.map(({ quote }) => quote), existing };
}

// chosenIn returns the quote that the only hit is: the picker says what themes it has.
/** @param {Selectable[]} hits */
const chosenIn = (hits) => (hits.length === 1 ? hits[0].coded : undefined);

// useTheming returns {ask, popup}: ask opens the picker beside an element. change changes the hits, and query
// is what they were found with.
/**
 * @param {object} of
 * @param {string} of.projectId
 * @param {string} of.query
 * @param {(next: (hits: Hit[]) => Hit[]) => void} of.change
 * @param {() => void} of.onDone
 */
export function useTheming({ projectId, query, change, onDone }) {
  const [asked, setAsked] = useState(/** @type {Asked | null} */ (null));
  const themes = useThemes(projectId);
  /** @param {Selectable[]} hits @param {import('../shared/coding.js').Wanted} wanted */
  async function give(hits, wanted) {
    onDone();
    const keys = new Set(hits.map(keyOf));
    const chosen = chosenIn(hits);
    if (chosen && 'theme' in wanted && chosenOf(chosen).has(wanted.theme.id))
      return takeTheme(chosen, wanted.theme, (links) =>
        change((all) =>
          all.map((hit) =>
            keys.has(keyOf(hit)) && hit.coded
              ? { ...hit, coded: { ...hit.coded, evidence_themes: links } }
              : hit,
          ),
        ),
      );
    const before = new Map(hits.map((hit) => [keyOf(hit), hit.coded]));
    const collected = await collectedOf(hits, query);
    /** @param {(hit: Hit) => CodedQuote | undefined} next */
    const code = (next) =>
      change((all) => all.map((hit) => (keys.has(keyOf(hit)) ? { ...hit, coded: next(hit) } : hit)));
    /** @param {Hit} hit @param {Map<string, string>} ids */
    const idOf = (hit, ids) => {
      const turn = collected.made.find(
        ({ quote, ordinal }) => quote.import_id === hit.import_id && ordinal === hit.ordinal,
      );
      return hit.coded?.id ?? hit.id ?? (turn && ids.get(turn.quote.id)) ?? '';
    };
    await codeAll(projectId, collected, wanted, themes, {
      show: (theme, ids) =>
        code((hit) => ({
          id: idOf(hit, ids),
          project_id: projectId,
          evidence_themes: [
            ...(hit.coded?.evidence_themes ?? []).filter((l) => l.theme_id !== theme.id),
            { theme_id: theme.id, origin: 'human', review: 'accepted' },
          ],
        })),
      hide: () => code((hit) => before.get(keyOf(hit))),
    });
  }
  return {
    /** @param {Selectable[]} hits @param {Element | null} anchor */
    ask: (hits, anchor) => hits.length > 0 && setAsked({ hits, anchor }),
    popup:
      asked &&
      html`
        <${ThemePopup}
          project=${projectId}
          themes=${themes}
          chosen=${chosenOf(chosenIn(asked.hits) ?? {})}
          anchor=${asked.anchor}
          onPick=${(/** @type {import('../shared/coding.js').Wanted} */ wanted) =>
            give(asked.hits, wanted).catch(problem)}
          onClose=${() => setAsked(null)}
        />
      `,
  };
}
