// Where words of a transcript are in the document and in the window.

/** @param {Node} node */
export const elementOf = (node) => (node instanceof Element ? node : node.parentElement);

// pointIn converts a position in the document to one in the transcript, or null if it is outside.
/** @param {Node} node @param {number} offset @returns {TextPoint | null} */
export function pointIn(node, offset) {
  /** @type {HTMLElement | null | undefined} */
  const row = elementOf(node)?.closest('.utterance');
  const text = row?.querySelector('.text');
  if (!row || !text) return null;
  const at = Number(row.dataset.at);
  const range = document.createRange();
  range.selectNodeContents(text);
  const side = range.comparePoint(node, offset);
  if (side < 0) return { at, index: 0 };
  if (side > 0) return { at, index: (text.textContent ?? '').length };
  range.setEnd(node, offset);
  return { at, index: range.toString().length };
}

// nodeAt converts a position in the transcript to one in the document: [node, offset], or null if the
// utterance is not in the document.
/** @param {Element} box @param {TextPoint} point @returns {[Text, number] | null} */
export function nodeAt(box, { at, index }) {
  const text = box.querySelector(`[data-at="${at}"] .text`);
  if (!text) return null;
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let rest = index;
  while (nodes.nextNode()) {
    const node = /** @type {Text} */ (nodes.currentNode);
    if (rest <= node.length) return [node, rest];
    rest -= node.length;
  }
  return null;
}

// paneOf returns the box of the part that scrolls.
/** @param {Element} root */
export const paneOf = (root) =>
  /** @type {Element} */ (root.querySelector('.scroller')).getBoundingClientRect();

// boxOf returns where the words of a span are in the window: those that are selected, or the turn whose
// button was pressed. Words that are scrolled out of sight count as being at the edge of the transcript. It
// returns null if the words are not in the document.
/** @param {Element} root @param {Omit<ChosenSpan, 'box'>} span @returns {WordsBox | null} */
export function boxOf(root, span) {
  const selection = document.getSelection();
  const words = span.focus
    ? root.querySelector(`[data-at="${span.from}"] .turn`)
    : selection?.rangeCount && !selection.isCollapsed && selection.getRangeAt(0);
  if (!words) return null;
  const pane = paneOf(root);
  const within = (/** @type {number} */ y) => Math.max(pane.top, Math.min(pane.bottom, y));
  const { top, bottom, left } = words.getBoundingClientRect();
  return { top: within(top), bottom: within(bottom), left };
}
