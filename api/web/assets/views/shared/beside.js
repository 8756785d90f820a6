// What floats beside something else on the page.

const GAP_PX = 8;

// placeBeside puts an element, which is fixed, below a box of the window, or above it where there is no room.
/** @param {HTMLElement} element @param {{ top: number, bottom: number, left: number }} box */
export function placeBeside(element, box) {
  const below = innerHeight - box.bottom - 2 * GAP_PX;
  const above = box.top - 2 * GAP_PX;
  element.style.maxHeight = `${Math.max(above, below)}px`;
  const { width, height } = element.getBoundingClientRect();
  const top = height <= below || below >= above ? box.bottom + GAP_PX : box.top - GAP_PX - height;
  element.style.top = `${Math.max(GAP_PX, Math.min(top, innerHeight - GAP_PX - height))}px`;
  element.style.left = `${Math.max(GAP_PX, Math.min(box.left, innerWidth - GAP_PX - width))}px`;
}
