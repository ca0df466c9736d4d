import { availableParallelism } from 'node:os';
import type { StorageMode } from '../../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../../lib/errors.ts';
import { createFairQueue } from '../../../../lib/fair-queue.ts';
import { createThreads } from '../../../../lib/threads.ts';
import type { Db, PageRow } from '../../../../platform/storage/index.ts';
import { findDocument, findServed, type PageDocument } from '../../store.ts';
import { type Rendered, type RenderInput, renderPage } from './render.ts';

/** A document up to this size is rendered in the serving thread: another thread would take longer. */
const MAX_INLINE_BYTES = 32 * 1024;
/** How many large pages can wait to be rendered. */
const MAX_WAITING = 500;
/** One processor is for the serving thread. */
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** The result of a rendering thread. */
export interface RenderReply {
  rendered: Rendered;
}

export interface Renderer {
  /** Reads and renders a page, by slug or id; `onRow` gets its row as soon as it is read. */
  render(key: string | number, onRow: (row: PageRow) => void): Promise<RenderedPage | undefined>;
  stop(): void;
}

export interface RenderedPage {
  row: PageRow;
  rendered: Rendered;
}

/** Renders pages: small ones immediately, large ones in threads, where owners take turns. */
export function createRenderer(options: {
  db: Db;
  baseUrl: string;
  sdkPath(mode: StorageMode): string;
}): Renderer {
  const { db, baseUrl, sdkPath } = options;
  const threads = createThreads<RenderInput, RenderReply>(
    () => new Worker(new URL('./render.worker.ts', import.meta.url)),
  );
  const takeTurn = createFairQueue({
    width: MAX_THREADS,
    maxWaiting: MAX_WAITING,
    refused: () =>
      new AppError('UNAVAILABLE', 'Too many large pages are being rendered. Try again in a moment.', {
        headers: { 'retry-after': '1' },
      }),
  });
  const inputOf = (page: PageDocument) => ({ page, baseUrl, sdkPath: sdkPath(page.storage_mode) });

  return {
    async render(key, onRow) {
      const found = await findServed(db, key, MAX_INLINE_BYTES);
      if (!found) return undefined;
      onRow(found);
      const { html_content } = found;
      if (html_content !== null) {
        const page = { ...found, html_content };
        return { row: found, rendered: await renderPage(inputOf(page)) };
      }
      // Read only when its turn has come, so that waiting pages use no memory.
      return takeTurn(String(found.owner_id), async () => {
        const page = await findDocument(db, { id: found.id });
        if (!page) return undefined;
        const failure = `Page ${page.id} was not rendered`;
        return { row: page, ...(await threads.ask(inputOf(page), { failure })) };
      });
    },
    stop: threads.stop,
  };
}
