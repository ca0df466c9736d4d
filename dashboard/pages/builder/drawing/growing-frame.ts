import { t } from '../../../texts/index.ts';
import { SANDBOX } from '../../editor/preview/frame.ts';
import { toComplete } from './growing-html.ts';

/** A browser draws what arrives. More often than this is more than anyone sees. */
const WRITE_EVERY_MS = 150;

/**
 * Shows a document while it is being written. It only grows: for another document there is another frame. The frame's
 * own policy runs nothing of the document.
 */
export class GrowingFrame {
  readonly #frame: HTMLIFrameElement;
  #html = '';
  #written = 0;
  #isReady = false;
  #writing: ReturnType<typeof setTimeout> | undefined;

  constructor(place: HTMLElement) {
    this.#frame = document.createElement('iframe');
    this.#frame.title = t('The page while it is written');
    this.#frame.className = 'growing';
    this.#frame.tabIndex = -1;
    this.#frame.setAttribute('sandbox', SANDBOX);
    this.#frame.src = '/preview/growing';
    place.append(this.#frame);
    addEventListener('message', this.#onMessage);
  }

  /** Sets the document so far. Returns false if it is not the one that the frame shows. */
  write(html: string): boolean {
    if (!html.startsWith(this.#html)) return false;
    this.#html = html;
    this.#writing ??= setTimeout(() => this.#flush(), WRITE_EVERY_MS);
    return true;
  }

  remove(): void {
    removeEventListener('message', this.#onMessage);
    clearTimeout(this.#writing);
    this.#frame.remove();
  }

  #onMessage = ({ source, data }: MessageEvent) => {
    if (source !== this.#frame.contentWindow || data?.growing !== 'ready' || this.#isReady) return;
    this.#isReady = true;
    this.#flush();
  };

  #flush(): void {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    if (!this.#isReady) return;
    const complete = toComplete(this.#html);
    const piece = complete.slice(this.#written);
    if (piece === '') return;
    this.#written = complete.length;
    // A document with an opaque origin can only be addressed with a star.
    this.#frame.contentWindow?.postMessage({ piece }, '*');
  }
}
