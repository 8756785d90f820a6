// Loose quotes: those that belong to no hypothesis and no theme yet.
import { html, useMemo, useRef, useState } from '../../page/html.js';
import { focusOn, useKeys } from '../../page/keys.js';
import { go } from '../../page/router.js';
import { Empty, Title, Waiting } from '../../page/ui.js';
import { number } from '../../page/words.js';
import { useJudging } from '../judging/judging.js';
import { Conflicts, Saving } from '../judging/saving.js';
import { Card, place } from '../shared/card.js';
import { pressNotes, pressTheme } from '../shared/themechips.js';
import { isLoose } from '../shared/themes.js';
import { Windowed } from '../shared/windowed.js';
import { useLoose, useLooseCount } from './loosedata.js';

/** @param {string} projectId */
const hrefOf = (projectId) => `/projects/${projectId}/evidence?loose=1`;

// LooseLink leads to the loose quotes of a project, and says how many there are.
/** @param {{ projectId: string }} props */
export function LooseLink({ projectId }) {
  const n = useLooseCount(projectId);
  return html`
    <a class="loose-link" href=${hrefOf(projectId)} title="Quotes without hypothesis or theme">
      Loose quotes${' '}
      <span class="faint">${n === undefined ? '' : number(n)}</span>
    </a>
  `;
}

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Loose({ context, query }) {
  const loaded = useLoose(context.id);
  const { data } = loaded;
  return html`
    <main id="main" class="page loose">
      <nav class="back" aria-label="Evidence"><a href=${`/projects/${context.id}/evidence`}>Evidence</a></nav>
      ${
        data
          ? html`
              <${Found}
                context=${context}
                query=${query}
                titles=${data.titles}
                rows=${data.rows}
                set=${loaded.set}
              />
            `
          : html`
              <header class="head"><${Title}>Loose quotes<//></header>
              <${Waiting} for=${loaded} />
            `
      }
    </main>
  `;
}

/** @typedef {ReturnType<typeof useLoose>} LoadedLoose */
/** @typedef {NonNullable<LoadedLoose['data']>} LooseRows */

/** @param {LooseRows['rows'][number]} e */
const stillLoose = (e) => e.review !== 'rejected' && isLoose({ ...e, evidence_hypotheses: [] });

// Found shows the quotes. One that gets a theme stays until the place is opened again, so that nothing jumps.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {URLSearchParams} props.query
 * @param {LooseRows['titles']} props.titles
 * @param {LooseRows['rows']} props.rows
 * @param {LoadedLoose['set']} props.set
 */
function Found({ context, query, titles, rows, set }) {
  const { canEdit } = context;
  const [at, setAt] = useState(query.get('q') ?? rows.at(0)?.id);
  const control = useRef(/** @type {WindowedControl | undefined} */ (undefined));
  const cards = useRef(/** @type {Map<string, HTMLElement>} */ (new Map()));
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const byId = useMemo(() => new Map(rows.map((e) => [e.id, e])), [rows]);
  const current = byId.get(at ?? '');
  /** @param {string} id @param {Partial<LooseRows['rows'][number]>} values */
  const change = (id, values) =>
    set((now) => ({ ...now, rows: now.rows.map((e) => (e.id === id ? { ...e, ...values } : e)) }));
  const { review, undo, judged } = useJudging({ rows, apply: change });
  /** @param {1 | -1} by */
  function step(by) {
    const from = at ? ids.indexOf(at) : -1;
    const id = ids.at(Math.max(0, Math.min(ids.length - 1, from + by)));
    if (!id) return;
    setAt(id);
    const shown = cards.current.get(id)?.getBoundingClientRect();
    if (!shown || shown.top < 0 || shown.bottom > innerHeight) control.current?.show(id, innerHeight / 3);
    requestAnimationFrame(() => focusOn(cards.current.get(id)));
  }
  /** @param {ReviewState} verdict */
  function judge(verdict) {
    if (!current || !canEdit) return;
    if (review(current, { review: verdict })) step(1); // else the page asks first
  }
  const address = current && place(current);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: () => judge('accepted'),
    r: () => judge('rejected'),
    t: () => canEdit && pressTheme(cards.current.get(at ?? '')),
    T: () => canEdit && pressTheme(cards.current.get(at ?? '')),
    n: () => pressNotes(cards.current.get(at ?? '')),
    u: undo,
    Enter: () => address && go(address),
  });
  /** @param {string} id */
  const card = (id) => {
    const e = byId.get(id);
    return (
      e &&
      html`
        <${Card}
          e=${e}
          selected=${id === at}
          canEdit=${canEdit}
          source=${titles.get(e.import_id ?? '')}
          cardRef=${(/** @type {HTMLElement | null} */ box) =>
            box ? cards.current.set(id, box) : cards.current.delete(id)}
          onSelect=${() => setAt(id)}
          onReview=${(/** @type {ReviewState} */ verdict) => review(e, { review: verdict })}
          onThemes=${(/** @type {QuoteTheme[]} */ links) => change(id, { evidence_themes: links })}
          onNoted=${(/** @type {Noted} */ { memo, comments }) =>
            change(id, { memo, comments: [{ count: comments }] })}
        />
      `
    );
  };
  const left = rows.filter(stillLoose).length;
  return html`
    <header class="head">
      <${Title}>Loose quotes<//>
      <p class="faint" role="status">${number(left)} without hypothesis or theme</p>
      <${Saving} judged=${judged} />
    </header>
    <${Conflicts} rows=${rows} />
    ${
      rows.length === 0
        ? html`
            <${Empty} title="No loose quotes">
              <p>Every quote belongs to a hypothesis or a theme.</p>
            <//>
          `
        : html`
            ${
              canEdit &&
              html`
                <p class="faint keys-hint">
                  <kbd>j</kbd>
                  ${' '}
                  <kbd>k</kbd>
                  ${' move, '}
                  <kbd>t</kbd>
                  ${' theme, '}
                  <kbd>n</kbd>
                  ${' memo and comments, '}
                  <kbd>r</kbd>
                  ${' reject, '}
                  <kbd>Enter</kbd>
                  ${' opens the transcript'}
                </p>
              `
            }
            <${Windowed}
              ids=${ids}
              estimate=${(/** @type {string} */ id) =>
                70 + 23 * Math.ceil((byId.get(id)?.quote.length ?? 0) / 90)}
              control=${control}
              row=${card}
            />
          `
    }
  `;
}
