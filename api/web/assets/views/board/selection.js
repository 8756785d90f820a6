// The selected quote of a board, and the ways from one to another. It is part of the address.
import { useState } from '../../page/html.js';
import { note } from '../../page/router.js';
import { stanceOrder } from '../shared/evidencewords.js';

// tabIn returns the stance in an address, which may have any words.
/** @param {URLSearchParams} query */
const tabIn = (query) => stanceOrder.find((stance) => stance === query.get('tab')) ?? 'supports';

// useSelection returns the selected quote, if the board shows it, and the stance whose tab is selected in
// narrow windows. control is that of the quotes; the functions that move also focus the quote.
/**
 * @param {object} of
 * @param {Columns} of.columns
 * @param {string[]} of.inOrder
 * @param {Ref<ColumnsControl | null>} of.control
 * @param {URLSearchParams} of.query
 */
export function useSelection({ columns, inOrder, control, query }) {
  const [selected, setSelected] = useState(query.get('q'));
  const [tab, setTab] = useState(() => tabIn(query));
  const current = columns.byId.get(selected ?? '');
  const at = current ? inOrder.indexOf(current.id) : -1;

  /** @param {Quote | undefined} row */
  function select(row) {
    if (!row || row.id === selected) return;
    setSelected(row.id);
    note({ q: row.id });
  }
  /** @param {string | undefined} id */
  function jump(id) {
    const row = columns.byId.get(id ?? '');
    if (!row) return;
    select(row);
    control.current?.focus(row);
  }
  return {
    current,
    tab,
    select,
    /** @param {Stance} next */
    selectTab(next) {
      setTab(next);
      note({ tab: next });
    },
    // restore selects what the address says.
    restore() {
      setSelected(query.get('q'));
      setTab(tabIn(query));
    },
    // step moves to the next quote or, with -1, to the previous one; without a selection, to the first.
    /** @param {1 | -1} by */
    step: (by) => jump(inOrder[current ? Math.max(0, Math.min(inOrder.length - 1, at + by)) : 0]),
    // sideways moves to the quote at the same place of the next column that has quotes.
    /** @param {1 | -1} by */
    sideways(by) {
      if (!current) return jump(inOrder[0]);
      const place = columns[current.stance].indexOf(current.id);
      for (let i = stanceOrder.indexOf(current.stance) + by; i >= 0 && i < stanceOrder.length; i += by) {
        const column = columns[stanceOrder[i]];
        if (column.length > 0) return jump(column[Math.min(place, column.length - 1)]);
      }
      return undefined;
    },
    // onward moves to the quote after the selected one, if there is one.
    onward: () => jump(inOrder[at + 1]),
  };
}
