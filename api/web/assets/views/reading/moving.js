// The keys that lead from one question to another.

/** @param {ParentNode} section */
const all = (section) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (section.querySelectorAll('[data-question]'))].filter((one) =>
    one.checkVisibility(),
  );

// questionIn returns the first question of a section that is not answered.
/** @param {ParentNode} section */
export const questionIn = (section) => all(section).find((one) => one.dataset.question === 'open');

// questionKeys leads to the next question: the arrows to any, Enter to one that is not answered, and after
// the last one to the end. Within the choices of a question, arrows choose.
/** @param {KeyboardEvent} event @param {HTMLElement} section @param {() => void} [onEnd] */
export function questionKeys(event, section, onEnd) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  const questions = all(section);
  const at = questions.findIndex((one) => one.contains(target));
  if (at < 0) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && target === questions[at]) {
    event.preventDefault();
    questions[at + step]?.focus();
  } else if (event.key === 'Enter' && !target.matches('button, summary')) {
    event.preventDefault();
    const open = (/** @type {HTMLElement} */ one) => one !== questions[at] && one.dataset.question === 'open';
    const next = questions.slice(at + 1).find(open) ?? questions.slice(0, at).find(open);
    if (next) next.focus();
    else onEnd?.();
  }
}
