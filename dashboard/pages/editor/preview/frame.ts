import { t } from '../../../texts/index.ts';
import type { StorageMode } from '../../api.ts';
import type { PreviewDocument } from './bundle.ts';
import { type Report, readReports } from './reports.ts';

/** The page in the preview, for its SDK. */
export interface PreviewTarget {
  pageId: number;
  slug: string;
  mode: StorageMode;
}

/** A connection through which the document in a frame can be edited. */
export interface FrameEditing {
  /** The end that the document gets. */
  port: MessagePort;
  onShown: (frame: HTMLIFrameElement) => void;
}

/** Like the CSP of pages: scripts run in an opaque origin, so they cannot reach the dashboard. */
export const SANDBOX = 'allow-scripts allow-forms allow-modals allow-popups';
const STALLED_AFTER_MS = 3_000;
const MAX_EARLY = 300;
/** Scrolling sends fewer messages than this. A document that sends more is stopped. */
const MAX_MESSAGES_PER_SECOND = 300;

/**
 * Shows documents, each in a new frame, because running scripts cannot be removed from a document. The old frame stays
 * visible until the new one is ready, so that the preview does not flicker while someone types.
 */
export class PreviewFrame {
  private shown: HTMLIFrameElement | undefined;
  private next: HTMLIFrameElement | undefined;
  private document: PreviewDocument = { html: '', files: [], paths: [], scripts: [] };
  /** The page session of whoever the page is shown to; null for nobody. */
  private session: string | null = null;
  private editing: FrameEditing | undefined;
  /** False until the new frame got its document. It gets it once: what it runs then could ask again. */
  private isSent = false;
  /** What the new frame reported before it was shown. */
  private early: Report[] = [];
  /** The scroll position of the shown document. */
  private top = 0;
  private stalling: ReturnType<typeof setTimeout> | undefined;
  private isStalled = false;
  private messages = { count: 0, since: 0 };

  constructor(
    private readonly place: HTMLElement,
    private readonly target: PreviewTarget,
    private readonly onStall: (isStalled: boolean) => void,
    /** Called with what the shown document reports, and at first for each document. */
    private readonly onReports: (reports: Report[], isNew: boolean) => void,
  ) {
    addEventListener('message', this.onMessage);
  }

  show(document: PreviewDocument, session: string | null, editing?: FrameEditing): void {
    this.document = document;
    this.session = session;
    this.editing = editing;
    this.isSent = false;
    this.early = [];
    this.next?.remove();
    clearTimeout(this.stalling);
    // Frames share a process. The browser ends one that hangs only when all frames are gone.
    if (this.isStalled) this.shown?.remove();
    this.next = this.createFrame();
    this.place.append(this.next);
    this.stalling = setTimeout(() => this.setStalled(true), STALLED_AFTER_MS);
  }

  remove(): void {
    removeEventListener('message', this.onMessage);
    clearTimeout(this.stalling);
    this.next?.remove();
    this.shown?.remove();
  }

  private createFrame(): HTMLIFrameElement {
    const { pageId, slug, mode } = this.target;
    const frame = document.createElement('iframe');
    frame.title = t('Page preview');
    frame.className = 'coming';
    frame.tabIndex = -1;
    frame.setAttribute('sandbox', SANDBOX);
    frame.src = `/preview?${new URLSearchParams({ page: String(pageId), slug, mode })}`;
    return frame;
  }

  private onMessage = ({ source, data }: MessageEvent) => {
    const { next, shown } = this;
    const isOurs = source !== null && (source === next?.contentWindow || source === shown?.contentWindow);
    if (isOurs && this.isFlooding()) return this.stop();
    const message: unknown = data?.preview;
    if (next && source === next.contentWindow) {
      // A document with an opaque origin can only be addressed with a star.
      if (message === 'ready' && !this.isSent) this.send(next);
      if (message === 'shown') this.swap();
      this.early = [...this.early, ...readReports(message)].slice(-MAX_EARLY);
    } else if (shown && source === shown.contentWindow) {
      const reported = (message as { top?: unknown } | undefined)?.top;
      if (typeof reported === 'number' && reported >= 0) this.top = reported;
      const reports = readReports(message);
      if (reports.length > 0) this.onReports(reports, false);
    }
  };

  private send(frame: HTMLIFrameElement): void {
    this.isSent = true;
    const { html, files } = this.document;
    const { top, session } = this;
    const message = { html, files, top, ...(session && { session }) };
    frame.contentWindow?.postMessage(message, '*', this.editing ? [this.editing.port] : []);
  }

  private isFlooding(): boolean {
    const now = performance.now();
    if (now - this.messages.since > 1000) this.messages = { count: 0, since: now };
    return ++this.messages.count > MAX_MESSAGES_PER_SECOND;
  }

  /** Replaces the old frame with the new one. */
  private swap(): void {
    clearTimeout(this.stalling);
    this.setStalled(false);
    this.shown?.remove();
    this.shown = this.next;
    this.next = undefined;
    this.shown?.classList.remove('coming');
    this.onReports(this.early, true);
    this.shown?.removeAttribute('tabindex');
    if (this.shown) this.editing?.onShown(this.shown);
  }

  /** Removes all frames. The next document starts from scratch. */
  private stop(): void {
    clearTimeout(this.stalling);
    this.next?.remove();
    this.shown?.remove();
    this.next = undefined;
    this.shown = undefined;
    // The messages of this document must not count against the next one.
    this.messages.since = 0;
    this.setStalled(true);
  }

  private setStalled(isStalled: boolean): void {
    this.isStalled = isStalled;
    this.onStall(isStalled);
  }
}
