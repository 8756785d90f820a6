// The themes of the quotes of an answer. A quote that gets its first one is kept as a quote of its interview.
import { html, useState } from '../../page/html.js';
import { list, update } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { problem } from '../../page/messages.js';
import { codeWords } from '../shared/coding.js';
import { ThemeButton, ThemeChips } from '../shared/themechips.js';
import { ThemePopup } from '../shared/themepopup.js';
import { useThemes } from '../shared/themes.js';

/**
 * @typedef {object} Keeping what becomes of the quotes of an answer
 * @property {string} project
 * @property {boolean} canEdit
 * @property {(q: AnswerQuote) => void} keep asks for a hypothesis
 * @property {(q: AnswerQuote) => CodedQuote | undefined} codedOf
 * @property {(evidenceId: string, links: QuoteTheme[]) => void} show
 * @property {(q: AnswerQuote, e: CodedQuote) => void} kept
 * @property {(q: AnswerQuote, links: QuoteTheme[] | null) => void} taken
 */

// useKeeping returns what Quotes needs. reload loads the answer again.
/**
 * @param {Context} context
 * @param {AskedAnswer | null | undefined} answer
 * @param {() => void} reload
 * @param {(q: AnswerQuote) => void} keep
 * @returns {Keeping}
 */
export function useKeeping(context, answer, reload, keep) {
  const quotes = answer ? [...answer.sentences.flatMap((s) => s.quotes), ...answer.passages] : [];
  const ids = [...new Set(quotes.flatMap((q) => q.evidenceId ?? []))].sort();
  // What quotes became here, by their ids: the answer says so a moment later.
  const [own, setOwn] = useState(/** @type {Map<string, CodedQuote>} */ (new Map()));
  const loaded = useLoad(
    async (signal) => {
      const rows =
        ids.length === 0
          ? []
          : await list(
              'evidence_themes',
              {
                evidence_id: `in.(${ids.join()})`,
                select: 'evidence_id,theme_id,origin,review',
                order: 'evidence_id,theme_id',
              },
              { signal },
            );
      return /** @type {Map<string, QuoteTheme[]>} */ (Map.groupBy(rows, (row) => row.evidence_id));
    },
    [ids.join()],
  );
  /** @param {string} id @param {QuoteTheme[]} links */
  function show(id, links) {
    loaded.set((now) => new Map(now).set(id, links));
    setOwn(
      (now) => new Map([...now].map(([q, e]) => [q, e.id === id ? { ...e, evidence_themes: links } : e])),
    );
  }
  return {
    project: context.id,
    canEdit: context.canEdit,
    keep,
    codedOf(q) {
      const mine = own.get(q.id);
      if (mine) return mine;
      const id = q.evidenceId;
      return id ? { id, project_id: context.id, evidence_themes: loaded.data?.get(id) ?? [] } : undefined;
    },
    show,
    kept(q, e) {
      setOwn((now) => new Map(now).set(q.id, e));
      update('answer_quotes', { id: `eq.${q.id}` }, { evidence_id: e.id }, 'id').then(reload, problem);
    },
    taken(q, links) {
      const mine = own.get(q.id);
      if (links && mine) return show(mine.id, links);
      setOwn((now) => new Map([...now].filter(([of]) => of !== q.id)));
      return reload();
    },
  };
}

// QuoteTheme is the button that gives a quote a theme.
/** @param {{ q: AnswerQuote, keeping: Keeping }} props */
export function QuoteTheme({ q, keeping }) {
  const coded = keeping.codedOf(q);
  if (coded)
    return html`
      <${ThemeButton}
        e=${coded}
        onThemes=${(/** @type {QuoteTheme[]} */ links) => keeping.show(coded.id, links)}
      />
    `;
  return html`
    <${FirstTheme} q=${q} keeping=${keeping} />
  `;
}

/** @param {{ q: AnswerQuote, keeping: Keeping }} props */
function FirstTheme({ q, keeping }) {
  const [open, setOpen] = useState(false);
  const themes = useThemes(keeping.project);
  /** @param {import('../shared/coding.js').Wanted} wanted */
  async function give(wanted) {
    const e = await codeWords(keeping.project, q, wanted, themes, (_, links) => keeping.taken(q, links));
    if (e) keeping.kept(q, e);
  }
  return html`
    <span class="theme-opener">
      <button
        class="theme-button small"
        title="Theme (t)"
        aria-haspopup="dialog"
        aria-expanded=${open}
        onClick=${() => setOpen(true)}
      >
        Theme
      </button>
      ${
        open &&
        html`
          <${ThemePopup}
            project=${keeping.project}
            themes=${themes}
            chosen=${new Set()}
            onPick=${give}
            onClose=${() => setOpen(false)}
          />
        `
      }
    </span>
  `;
}

/** @param {{ q: AnswerQuote, keeping: Keeping }} props */
export function QuoteChips({ q, keeping }) {
  const coded = keeping.codedOf(q);
  return (
    coded &&
    html`
      <${ThemeChips}
        e=${coded}
        canEdit=${keeping.canEdit}
        onThemes=${(/** @type {QuoteTheme[]} */ links) => keeping.show(coded.id, links)}
      />
    `
  );
}
