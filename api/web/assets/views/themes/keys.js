// The keyboard of the board of themes.
import { go } from '../../page/router.js';
import { useKeys } from '../../page/keys.js';

// keys are the shortcuts, as the list of them shows them.
export const keys = {
  '↑ ↓ ← →': 'move between quotes and themes; Home and End: first and last',
  'Shift ← →': 'move a column',
  Enter: 'open the transcript at the quote',
  'x, X': 'select a quote or a theme, or all up to it; the keys below act on what is selected',
  m: 'move quotes to another theme',
  t: 'give quotes a further theme, or take one away; on a theme: a new theme',
  s: 'split quotes off as a new theme',
  Delete: 'take quotes out of the theme',
  g: 'merge themes into another one',
  r: 'rename or describe a theme',
  n: 'nest a theme below another one',
  h: 'turn a theme into a hypothesis',
  e: 'memo and comments',
  u: 'undo',
  '/': 'filter',
  '?': 'show this list',
};

// useBoardKeys has keys move on the board and open what changes the selected quotes and themes.
/**
 * @param {object} of
 * @param {boolean} of.canEdit
 * @param {ThemeFocus} of.focus
 * @param {ReturnType<typeof import('../judging/picking.js').usePicked>} of.picked
 * @param {ChosenItems} of.chosen
 * @param {() => void} of.undo
 * @param {(by: 1 | -1) => void} of.shift moves the column that has the focus
 * @param {() => void} of.find
 * @param {(dialog: ThemeDialog) => void} of.open
 */
export function useBoardKeys({ canEdit, focus, picked, chosen, undo, shift, find, open }) {
  const { at, step, sideways } = focus;
  /** @param {1 | -1} by */
  const across = (by) => (/** @type {KeyboardEvent} */ event) =>
    event.shiftKey ? canEdit && shift(by) : sideways(by);
  const editing = {
    x: () => picked.toggle(at),
    X: () => picked.toggle(at, true),
    m: chosen.can.move && (() => open({ kind: 'move' })),
    t: () => open({ kind: chosen.can.add ? 'add' : 'new' }),
    s: chosen.can.split && (() => open({ kind: 'split' })),
    Delete: chosen.can.take && chosen.take,
    g: chosen.can.merge && (() => open({ kind: 'merge' })),
    r: chosen.can.edit && (() => open({ kind: 'edit' })),
    n: chosen.can.nest && (() => open({ kind: 'nest' })),
    h: chosen.can.edit && (() => open({ kind: 'hypothesis' })),
    u: undo,
  };
  useKeys({
    ArrowDown: () => step(1),
    j: () => step(1),
    ArrowUp: () => step(-1),
    k: () => step(-1),
    ArrowRight: across(1),
    ArrowLeft: across(-1),
    Home: () => step(-Infinity),
    End: () => step(Infinity),
    Enter: () => chosen.address && go(chosen.address),
    Escape: picked.clear,
    e: () => (chosen.quote || chosen.theme) && open({ kind: 'notes' }),
    '/': find,
    '?': () => open({ kind: 'keys' }),
    ...(canEdit && Object.fromEntries(Object.entries(editing).filter(([, act]) => act))),
  });
}
