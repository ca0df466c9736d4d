import { availableParallelism } from 'node:os';
import type { StorageMode } from '../../../../../contract/rules/storage-modes.ts';
import { phrase } from '../../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../../lib/errors.ts';
import { createFairQueue } from '../../../../lib/fair-queue.ts';
import { createThreads } from '../../../../lib/threads.ts';
import type { Db, PageRow } from '../../../../platform/storage/index.ts';
import type { Manifest } from '../../files/manifest.ts';
import { readManifest } from '../../files/store.ts';
import { isOpen } from '../../model/access-policy.ts';
import { findDocument, findServed } from '../../model/page-store.ts';
import { toPicture } from '../../model/wire.ts';
import { findPicture } from '../../pictures/store.ts';
import { readRules, type SiteRules } from '../rules/site-rules.ts';
import { type DescribedPage, type Rendered, type RenderInput, renderPage } from './render.ts';

/** A document up to this size is rendered in the serving thread: another thread would take longer. */
const MAX_INLINE_BYTES = 32 * 1024;
/** How many large pages can wait to be rendered. */
const MAX_WAITING = 500;
/** Rendering threads. One processor is left for the serving thread. */
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** The result of a rendering thread. */
export interface RenderReply {
  rendered: Rendered;
}

export interface RenderedPage {
  row: PageRow;
  rendered: Rendered;
  files: Manifest | undefined;
  /** The redirects and headers of the page, if it has any. */
  rules?: SiteRules | undefined;
}

interface HtmlFile {
  /** The path of the file, as in its URL; undefined if it replaces the page's own document. */
  path?: string;
  size: number;
  /** Reads the document, when its turn has come. */
  read(): Promise<string | undefined>;
}

interface RendererOptions {
  db: Db;
  baseUrl: string;
  sdkPath(mode: StorageMode): string;
  /** Reads a small file of a page as text, by its hash. */
  readText(hash: string): Promise<string | undefined>;
}

/** Renders pages and HTML files: small ones immediately, large ones in threads, where owners take turns. */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #threads = createThreads<RenderInput, RenderReply>(
    () => new Worker(new URL('./render.worker.ts', import.meta.url)),
  );
  readonly #takeTurn = createFairQueue({
    width: MAX_THREADS,
    maxWaiting: MAX_WAITING,
    refused: () =>
      new AppError(
        'UNAVAILABLE',
        'Too many large pages are being rendered. Try again in a moment.',
        {},
        {
          headers: { 'retry-after': '1' },
        },
      ),
  });

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  /** Reads and renders a page, by slug or id; `onRow` gets its row as soon as it is read. */
  async render(key: string | number, onRow: (row: PageRow) => void): Promise<RenderedPage | undefined> {
    const { db } = this.#options;
    const found = await findServed(db, key, MAX_INLINE_BYTES);
    if (!found) return undefined;
    onRow(found);
    const { html_content } = found;
    if (html_content !== null) {
      const rendered = await renderPage(this.#makeInput(await this.#withPicture(found), html_content));
      return { row: found, rendered, ...(await this.readFiles(found)) };
    }
    // Read the page only when its turn has come, so that waiting pages use no memory.
    return this.#takeTurn(String(found.owner_id), async () => {
      const page = await findDocument(db, { id: found.id });
      if (!page) return undefined;
      const input = this.#makeInput(await this.#withPicture(page), page.html_content);
      const { rendered } = await this.#threads.ask(input, {
        failure: phrase('Page {id} was not rendered', { id: String(page.id) }),
      });
      return { row: page, rendered, ...(await this.readFiles(page)) };
    });
  }

  /** Renders an HTML file of a page, or another document in place of its own. */
  async renderFile(page: DescribedPage, { path, size, read }: HtmlFile): Promise<Rendered | undefined> {
    const readInput = async () => {
      const html = await read();
      return html === undefined
        ? undefined
        : { ...this.#makeInput(page, html), ...(path !== undefined && { file: path }) };
    };
    if (size <= MAX_INLINE_BYTES) {
      const input = await readInput();
      return input && renderPage(input);
    }
    return this.#takeTurn(String(page.owner_id), async () => {
      const input = await readInput();
      const id = String(page.id);
      const failure = path
        ? phrase('{path} of page {id} was not rendered', { path, id })
        : phrase('A document of page {id} was not rendered', { id });
      return input && (await this.#threads.ask(input, { failure })).rendered;
    });
  }

  /** The files of a version of a page, and the rules among them. */
  async readFiles({
    manifest_id,
  }: {
    manifest_id: number | null;
  }): Promise<Pick<RenderedPage, 'files' | 'rules'>> {
    if (manifest_id === null) return { files: undefined };
    const files = await readManifest(this.#options.db, manifest_id);
    const read = await readRules(files, this.#options.readText);
    return { files: files.size === 0 ? undefined : files, rules: read?.rules };
  }

  stop(): void {
    this.#threads.stop();
  }

  /** Links to a page that everyone can see show its picture, if its owner has not chosen an image. */
  async #withPicture(page: PageRow): Promise<DescribedPage> {
    if (page.preview_image !== null || !isOpen(page)) return page;
    const { db, baseUrl } = this.#options;
    const picture = toPicture(await findPicture(db, page.id), baseUrl);
    return picture ? { ...page, preview_image: picture.url } : page;
  }

  #makeInput(page: DescribedPage, html_content: string): RenderInput {
    const { baseUrl, sdkPath } = this.#options;
    const { id, slug, domain, name, description, preview_image, repair, storage_mode } = page;
    const described = { id, slug, domain, name, description, preview_image, repair, html_content };
    return { page: described, baseUrl, sdkPath: sdkPath(storage_mode) };
  }
}
