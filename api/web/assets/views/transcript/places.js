// Where words of a transcript are in the document and in the window.

// pointIn converts a position in the document to one in the transcript, or null if it is outside.
export function pointIn(node, offset) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  const row = element?.closest('.utterance');
  const text = row?.querySelector('.text');
  if (!text) return null;
  const at = Number(row.dataset.at);
  const range = document.createRange();
  range.selectNodeContents(text);
  const side = range.comparePoint(node, offset);
  if (side < 0) return { at, index: 0 };
  if (side > 0) return { at, index: text.textContent.length };
  range.setEnd(node, offset);
  return { at, index: range.toString().length };
}

// nodeAt converts a position in the transcript to one in the document: [node, offset], or null if the
// utterance is not in the document.
export function nodeAt(box, { at, index }) {
  const text = box.querySelector(`[data-at="${at}"] .text`);
  if (!text) return null;
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let rest = index;
  while (nodes.nextNode()) {
    const { length } = nodes.currentNode;
    if (rest <= length) return [nodes.currentNode, rest];
    rest -= length;
  }
  return null;
}

// boxOf returns where the words of a span are in the window: those that are selected, or the turn whose
// button was pressed. Words that are scrolled out of sight count as being at the edge of the transcript. It
// returns null if the words are not in the document.
export function boxOf(root, span) {
  const selection = document.getSelection();
  const words = span.focus
    ? root.querySelector(`[data-at="${span.from}"] .turn`)
    : selection?.rangeCount && !selection.isCollapsed && selection.getRangeAt(0);
  if (!words) return null;
  const pane = root.querySelector('.scroller').getBoundingClientRect();
  const within = (y) => Math.max(pane.top, Math.min(pane.bottom, y));
  const { top, bottom, left } = words.getBoundingClientRect();
  return { top: within(top), bottom: within(bottom), left };
}
