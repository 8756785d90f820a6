// The themes of the quotes of an interview, and its quotes without any.
import { html, useEffect, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { follow } from '../../client/subscriptions.js';
import { chosenOf, codeWords, takeTheme } from '../shared/coding.js';
import { isAbout, isLoose, linksOf, useThemes } from '../shared/themes.js';

const LOOSE = 'loose'; // instead of the id of a theme

const SOON_MS = 400; // after what somebody does with themes

/** @typedef {ReturnType<typeof import('./changes.js').useChanges>} Changes */
/** @typedef {import('../shared/coding.js').Wanted} Wanted */

// matching reports whether a quote belongs to what the quotes are limited to: a theme, none, or ''.
/** @param {LinkedEvidence} e @param {string} theme */
export const matching = (e, theme) =>
  !theme || (theme === LOOSE ? isLoose(e) : linksOf(e).some((l) => l.theme_id === theme));

// useLiveLinks shows what others do with the themes of the quotes of an interview.
/** @param {string} projectId @param {string} importId @param {Loaded<Found>} found */
function useLiveLinks(projectId, importId, { set, reload }) {
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const control = new AbortController();
    async function look() {
      const rows = await list(
        'evidence_themes',
        {
          'evidence.import_id': `eq.${importId}`,
          select: 'evidence_id,theme_id,origin,review,evidence!inner(import_id)',
          order: 'evidence_id,theme_id',
        },
        { signal: control.signal },
      );
      const of = Map.groupBy(rows, (row) => row.evidence_id);
      set((now) => {
        const known = new Set(now.evidence.map(({ id }) => id));
        if ([...of.keys()].some((id) => !known.has(id))) setTimeout(reload); // a quote of somebody else
        return { ...now, evidence: now.evidence.map((e) => ({ ...e, evidence_themes: of.get(e.id) ?? [] })) };
      });
    }
    const stop = follow('/api/events', {
      onEvent(event) {
        if (!isAbout(event, projectId)) return;
        clearTimeout(timer);
        timer = setTimeout(() => look().catch(() => {}), SOON_MS);
      },
      onState() {},
    });
    return () => {
      clearTimeout(timer);
      control.abort();
      stop();
    };
  }, [projectId, importId]);
}

// useCoding returns the themes of the project, what codes words of the transcript, and what shows the themes
// and the notes that a quote has now. onCoded gets a quote that was coded.
/**
 * @param {object} of
 * @param {Context} of.context
 * @param {string} of.importId
 * @param {LinkedEvidence[]} of.all
 * @param {Loaded<Found>} of.found
 * @param {Changes} of.changes
 * @param {(e: LinkedEvidence) => void} of.onCoded
 */
export function useCoding({ context, importId, all, found, changes, onCoded }) {
  const themes = useThemes(context.id);
  useLiveLinks(context.id, importId, found);
  const { change, drop, put } = changes;
  // quoteOf returns the quote of just these words.
  /** @param {Span} span */
  const quoteOf = ({ byteStart, byteEnd }) =>
    all.find((e) => e.byte_start === byteStart && e.byte_end === byteEnd && e.review !== 'rejected');
  return {
    themes,
    // chosenOf returns the themes of the quote of just these words, by their ids.
    /** @param {Span} span */
    chosenOf: (span) => chosenOf(quoteOf(span) ?? {}),
    // A theme that the quote of these words has is taken away.
    /** @param {Span} span @param {Wanted} wanted */
    async code(span, wanted) {
      const there = quoteOf(span);
      if (there && 'theme' in wanted && chosenOf(there).has(wanted.theme.id))
        return takeTheme(there, wanted.theme, (links) => change(there.id, { evidence_themes: links }));
      const { quote, byteStart, byteEnd } = span;
      const words = { importId, quote, byteStart, byteEnd };
      const e = await codeWords(context.id, words, wanted, themes, (id, links) =>
        links ? change(id, { evidence_themes: links }) : drop(id),
      );
      if (!e) return;
      drop(e.id);
      put(e);
      onCoded(e);
    },
    /** @param {string} id @param {QuoteTheme[]} links */
    show: (id, links) => change(id, { evidence_themes: links }),
    /** @param {string} id @param {Noted} noted */
    note: (id, { memo, comments }) => change(id, { memo, comments: [{ count: comments }] }),
  };
}

// useLimit is what the quotes are limited to. A theme that has no quote any more is no limit.
/** @param {LinkedEvidence[]} all */
export function useLimit(all) {
  const [theme, setTheme] = useState('');
  return { theme: all.some((e) => matching(e, theme)) ? theme : '', setTheme };
}

// ThemeLimits offers the themes of an interview, and its loose quotes, with the numbers of quotes.
/**
 * @param {object} props
 * @param {LinkedEvidence[]} props.all
 * @param {Theme[]} props.themes
 * @param {string} props.theme
 * @param {(theme: string) => void} props.setTheme
 */
export function ThemeLimits({ all, themes, theme, setTheme }) {
  const standing = all.filter((e) => e.review !== 'rejected');
  /** @param {string} id */
  const countOf = (id) => standing.filter((e) => matching(e, id)).length;
  const limits = [
    ...themes.map(({ id, name, color }) => ({ id, name, color, n: countOf(id) })),
    { id: LOOSE, name: 'Loose quotes', color: 'transparent', n: countOf(LOOSE) },
  ].filter(({ n }) => n > 0);
  if (limits.length === 0) return null;
  return html`
    <section class="theme-limits">
      <h2>Themes</h2>
      <ul>
        ${limits.map(
          ({ id, name, color, n }) => html`
            <li key=${id}>
              <button
                class=${theme === id ? 'on' : ''}
                aria-pressed=${theme === id}
                title=${id === LOOSE ? 'Quotes without hypothesis or theme' : undefined}
                onClick=${() => setTheme(theme === id ? '' : id)}
              >
                <span class="theme-dot" style=${{ '--theme': color }} aria-hidden="true"></span>
                <span dir="auto">${name}</span>
                <span class="faint">${n}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}
