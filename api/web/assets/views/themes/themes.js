// Themes: what people say that quotes have in common, as a board of columns, or as a table by groups.
import { html, useMemo, useRef, useState } from '../../page/html.js';
import { config } from '../../client/session.js';
import { withQuery } from '../../page/router.js';
import { Icon } from '../../page/icons.js';
import { Title, Waiting } from '../../page/ui.js';
import { problem } from '../../page/messages.js';
import { useActs } from './acts.js';
import { Bar } from './bar.js';
import { useChosenItems, usePickedItems } from './chosen.js';
import { ThemeColumns } from './columns.js';
import { useThemes } from './data.js';
import { Dialogs } from './dialogs.js';
import { Filters, keeps, useFilters } from './filters.js';
import { useFocus, wantedIn } from './focus.js';
import { useBoardKeys } from './keys.js';
import { layoutOf, loose, quoteIn } from './layout.js';
import { Matrix } from './matrix.js';
import { NewColumn } from './newcolumn.js';
import { Proposals, proposalsOf } from './proposals.js';
import { ProposeButton, ProposeDialog, RunState } from './propose.js';
import { useRun } from './runs.js';
import { SaidWords } from './saidwords.js';

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Themes({ context, query }) {
  const board = useThemes(context.id);
  const run = useRun(context.id, board.reload);
  const [proposing, setProposing] = useState(false);
  const matrix = query.get('view') === 'matrix';
  return html`
    <main id="main" class="themes-page">
      <header class="head">
        <${Title}>Themes<//>
        <nav class="theme-views" aria-label="View">
          <a href=${withQuery({ view: null })} aria-current=${matrix ? undefined : 'page'}>Board</a>
          <a href=${withQuery({ view: 'matrix' })} aria-current=${matrix ? 'page' : undefined}>By group</a>
        </nav>
        ${
          context.canEdit &&
          html`
            <${ProposeButton} of=${run} onOpen=${() => setProposing(true)} />
          `
        }
      </header>
      <${RunState} of=${run} canEdit=${context.canEdit} />
      <${Waiting} for=${board} />
      ${
        board.data &&
        html`
          <${matrix ? Matrix : Board} context=${context} query=${query} board=${board} data=${board.data} />
        `
      }
      ${
        proposing &&
        html`
          <${ProposeDialog} project=${context.id} of=${run} onClose=${() => setProposing(false)} />
        `
      }
    </main>
  `;
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {URLSearchParams} props.query
 * @param {ReturnType<typeof useThemes>} props.board
 * @param {ThemesData} props.data
 */
function Board({ context, query, board, data }) {
  const { canEdit } = context;
  const [dialog, setDialog] = useState(/** @type {ThemeDialog | null} */ (null));
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const show = useRef(/** @type {((column: ThemeColumn, item: string) => void) | null} */ (null));
  const filters = useFilters(query);
  const { want } = filters;
  const layout = useMemo(() => layoutOf(data, keeps(want)), [data, want.text, want.group, want.only]);
  const proposals = useMemo(() => proposalsOf(data), [data]);
  const acts = useActs(context, board);
  const focus = useFocus(layout, wantedIn(query, data.themes), show);
  const picked = usePickedItems(layout);
  const chosen = useChosenItems({ data, picked: picked.ids, focus, acts, canEdit, clear: picked.clear });

  // shift moves the column that has the focus past the next one.
  /** @param {1 | -1} by */
  function shift(by) {
    const { columns } = layout;
    const i = columns.findIndex((column) => column === focus.column);
    const of = data.themes.get(columns[i]?.id ?? '');
    const at = data.themes.get(columns[i + by]?.id ?? '');
    if (of && at) acts.place(of, at);
  }
  useBoardKeys({
    canEdit,
    focus,
    picked,
    chosen,
    undo: acts.back,
    shift,
    find: () => input.current?.focus(),
    open: setDialog,
  });
  /** @type {import('./dragging.js').OnDrop} */
  function onDrop(items, theme, also) {
    const to = theme === loose ? null : data.themes.get(theme);
    if (!quoteIn(items[0])) {
      const of = data.themes.get(items[0]);
      if (of && to) setDialog({ kind: 'dropped', theme: of, on: to });
    } else if (also && to) acts.add(items.map(quoteIn), to);
    else chosen.move(to ?? null, items).catch(problem);
  }
  const archived = [...data.themes.values()].filter(({ status }) => status === 'archived').length;
  return html`
    <div class="filters" role="group" aria-label="Filter">
      <${Filters}
        want=${want}
        context=${context}
        text=${filters.typed}
        onText=${filters.type}
        input=${input}
        onLeave=${() => focus.jump(focus.at)}
      />
      <div class="tasks">
        <button class="quiet" onClick=${() => setDialog({ kind: 'archived' })}>
          Archived
          <span class="faint">${archived || ''}</span>
        </button>
        <button
          class="quiet icon keys-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick=${() => setDialog({ kind: 'keys' })}
        >
          <${Icon} name="keyboard" />
        </button>
      </div>
    </div>
    <${Proposals} proposals=${proposals} acts=${acts} canEdit=${canEdit} onAccepted=${focus.jump} />
    ${
      !config.usesModel &&
      html`
        <${SaidWords} context=${context} />
      `
    }
    <${ThemeColumns}
      ...${{ layout, data, at: focus.at, picked: picked.ids, filtered: want.any, canEdit, show, onDrop }}
      on=${{ select: focus.select, pick: picked.toggle }}
    >
      ${
        canEdit &&
        html`
          <${NewColumn} acts=${acts} onMade=${focus.jump} />
        `
      }
    <//>
    <${Bar}
      acts=${acts}
      chosen=${chosen}
      picked=${picked.ids.size}
      onClear=${picked.clear}
      onOpen=${setDialog}
    />
    ${
      dialog &&
      html`
        <${Dialogs} ...${{ dialog, context, data, acts, chosen, focus }} onClose=${() => setDialog(null)} />
      `
    }
  `;
}
