/** How long the keyboard focus may take to arrive in the frame after a click. */
const FOCUS_TRIES = 8;
const FOCUS_TRY_MS = 40;

/**
 * True if it was the person who clicked in the frame: the browser has seen them act, and the keyboard is in the frame.
 * Without this, a page could choose its texts itself while the person does something else.
 */
export async function isClicked(frame: HTMLIFrameElement | undefined): Promise<boolean> {
  for (let tries = 0; tries < FOCUS_TRIES; tries++) {
    const hasActed = navigator.userActivation?.isActive ?? true;
    if (hasActed && frame !== undefined && document.activeElement === frame) return true;
    await new Promise((done) => setTimeout(done, FOCUS_TRY_MS));
  }
  return false;
}
