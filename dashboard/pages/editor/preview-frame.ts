import type { StorageMode } from '../api.ts';

/** The page that a preview stands for; its SDK is told. */
export interface PreviewTarget {
  pageId: number;
  slug: string;
  mode: StorageMode;
}

export interface PreviewFrame {
  show(html: string): void;
  remove(): void;
}

/** As the document's own policy says: scripts run, but in no origin, so that they reach nothing of the dashboard. */
const SANDBOX = 'allow-scripts allow-forms allow-modals allow-popups';
const STALLED_AFTER_MS = 3_000;
/** A document that tells us more than this is no page that scrolls. */
const MAX_MESSAGES_PER_SECOND = 300;

/**
 * Shows documents in `place`, each in a frame of its own, because scripts cannot be taken back. The one before stays
 * in sight until the next one stands, so that nothing flickers while somebody types.
 */
export function createPreviewFrame(
  place: HTMLElement,
  target: PreviewTarget,
  onStall: (isStalled: boolean) => void,
): PreviewFrame {
  let shown: HTMLIFrameElement | undefined;
  let next: HTMLIFrameElement | undefined;
  let html = '';
  let top = 0;
  let stalling: ReturnType<typeof setTimeout> | undefined;
  let isStalled = false;

  let heard = 0;
  let since = 0;
  const isFlooding = () => {
    const now = performance.now();
    if (now - since > 1000) [since, heard] = [now, 0];
    return ++heard > MAX_MESSAGES_PER_SECOND;
  };

  /** Takes everything away; the next text begins anew. */
  function stop() {
    clearTimeout(stalling);
    next?.remove();
    shown?.remove();
    [next, shown] = [undefined, undefined];
    // What this one said must not be held against the next.
    since = 0;
    isStalled = true;
    onStall(true);
  }

  const hear = ({ source, data }: MessageEvent) => {
    const isOurs = source !== null && (source === next?.contentWindow || source === shown?.contentWindow);
    if (isOurs && isFlooding()) return stop();
    const message: unknown = data?.preview;
    if (next && source === next.contentWindow) {
      // A document without an origin can be addressed by nothing else than the star.
      if (message === 'ready') next.contentWindow?.postMessage({ html, top }, '*');
      if (message === 'shown') swap();
    } else if (shown && source === shown.contentWindow) {
      const reported = (message as { top?: unknown } | undefined)?.top;
      if (typeof reported === 'number' && reported >= 0) top = reported;
    }
  };
  addEventListener('message', hear);

  function swap() {
    clearTimeout(stalling);
    isStalled = false;
    onStall(false);
    shown?.remove();
    shown = next;
    next = undefined;
    shown?.classList.remove('coming');
    shown?.removeAttribute('tabindex');
  }

  return {
    show(text) {
      html = text;
      next?.remove();
      clearTimeout(stalling);
      // Frames share a process; only when all have left does the browser end one that hangs.
      if (isStalled) shown?.remove();
      next = document.createElement('iframe');
      next.title = 'Preview of the page';
      next.className = 'coming';
      next.tabIndex = -1;
      next.setAttribute('sandbox', SANDBOX);
      const query = new URLSearchParams({
        page: String(target.pageId),
        slug: target.slug,
        mode: target.mode,
      });
      next.src = `/preview?${query}`;
      place.append(next);
      stalling = setTimeout(() => {
        isStalled = true;
        onStall(true);
      }, STALLED_AFTER_MS);
    },
    remove() {
      removeEventListener('message', hear);
      clearTimeout(stalling);
      next?.remove();
      shown?.remove();
    },
  };
}
