/** The space between a popover and what it belongs to, and between it and the edge of the window. */
const GAP = 6;
const EDGE = 8;

/** Puts a popover below or above its anchor, or beside it, wherever it fits into the window. */
export function place(popover: HTMLElement, anchor: Element, side: 'below' | 'beside' = 'below'): void {
  const { width, height } = popover.getBoundingClientRect();
  const at = anchor.getBoundingClientRect();
  const within = (value: number, size: number, whole: number) =>
    Math.max(EDGE, Math.min(value, whole - size - EDGE));
  let [left, top] = [at.left, at.bottom + GAP];
  if (side === 'beside') {
    left = at.right + GAP + width > innerWidth ? at.left - GAP - width : at.right + GAP;
    top = at.top + (at.height - height) / 2;
  } else {
    if (top + height > innerHeight - EDGE && at.top - GAP - height > EDGE) top = at.top - GAP - height;
    // Aligned to the end of the anchor where the start leaves no space.
    if (left + width > innerWidth - EDGE) left = at.right - width;
  }
  popover.style.left = `${within(left, width, innerWidth)}px`;
  popover.style.top = `${within(top, height, innerHeight)}px`;
}
