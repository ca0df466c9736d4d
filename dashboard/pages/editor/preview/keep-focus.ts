/**
 * Returns the focus to the editor when a script in the preview takes it. The person can still move the focus to the
 * preview with the pointer or the Tab key. Not every browser reports that the pointer is over a frame, so `isAllowed` is
 * asked too, after `waitMs`.
 */
export function keepFocus(place: HTMLElement, isAllowed: () => boolean, waitMs: number): () => void {
  let isPointedAt = false;
  let isTabbing = false;
  let last: Element | null = document.activeElement;

  const enter = () => {
    isPointedAt = true;
  };
  const leave = () => {
    isPointedAt = false;
  };
  const key = (event: KeyboardEvent) => {
    isTabbing = event.key === 'Tab';
  };
  const remember = (event: FocusEvent) => {
    if (event.target instanceof HTMLElement && !place.contains(event.target)) last = event.target;
  };
  const blur = () => {
    const taken = document.activeElement;
    if (!taken || !place.contains(taken) || isPointedAt || isTabbing) return;
    // During the event the browser is still moving the focus to the frame, and would continue.
    setTimeout(() => {
      if (document.activeElement !== taken || isAllowed()) return;
      window.focus();
      if (last instanceof HTMLElement && last.isConnected) last.focus({ preventScroll: true });
      else (taken as HTMLElement).blur();
    }, waitMs);
  };

  place.addEventListener('pointerenter', enter);
  place.addEventListener('pointerleave', leave);
  document.addEventListener('keydown', key, true);
  document.addEventListener('focusin', remember);
  addEventListener('blur', blur);
  return () => {
    place.removeEventListener('pointerenter', enter);
    place.removeEventListener('pointerleave', leave);
    document.removeEventListener('keydown', key, true);
    document.removeEventListener('focusin', remember);
    removeEventListener('blur', blur);
  };
}
