import type { Checked, Checks } from '../events/index.ts';
import { makeVariants, type Variants } from '../http/index.ts';
import type { PageAccess } from './access.ts';
import { joinRendered, type Rendered, type RenderOptions, renderPage } from './render.ts';
import type { PageDocument, PageRow } from './store.ts';

/** A page in memory, ready to send: rendered and compressed once per change. */
export interface CachedPage extends Variants, Checked {
  id: number;
  /** Decides who may see a draft. */
  access: PageAccess;
  slug: string;
  isPublished: boolean;
  isUnlisted: boolean;
  rendered: Rendered;
  /** What all the tags have in common: who holds any of them holds this version. */
  tag: string;
  size: number;
  /** Differs when anything of the page's row that matters here does. */
  stamp: string;
  /** Set by every hit; the cache lets go first of what nobody asks for. */
  isUsed: boolean;
}

const MAX_CACHE_BYTES = 128 * 1024 * 1024;

export interface PageCache {
  bySlug(slug: string): CachedPage | undefined;
  byId(id: number): CachedPage | undefined;
  /** Reads, renders and keeps a page, asked for by slug or id; callers that ask at the same time share the work. */
  load(key: string | number, read: () => Promise<PageDocument | undefined>): Promise<CachedPage | undefined>;
  drop(id: number): void;
  /** What it holds, and how often it was asked for what it had and had to read. */
  status(): { pages: number; bytes: number; hits: number; loads: number };
}

export function createPageCache(
  options: RenderOptions & {
    checks: Checks;
    /** Reads the row of a page, to compare a kept page with. */
    readRow(id: number): Promise<PageRow | undefined>;
  },
): PageCache {
  const { checks, readRow } = options;
  const pages = new Map<number, CachedPage>();
  const slugs = new Map<string, CachedPage>();
  const loading = new Map<string | number, Promise<CachedPage | undefined>>();
  let bytes = 0;
  /** Counts drops: what was read before a drop may be old, and is then sent once but not kept. */
  let drops = 0;
  let hits = 0;
  let loads = 0;

  function drop(id: number): void {
    drops++;
    loading.clear();
    remove(pages.get(id));
  }

  function remove(page: CachedPage | undefined): void {
    if (!page) return;
    pages.delete(page.id);
    if (slugs.get(page.slug) === page) slugs.delete(page.slug);
    bytes -= page.size;
  }

  function keep(page: CachedPage): void {
    remove(pages.get(page.id));
    pages.set(page.id, page);
    slugs.set(page.slug, page);
    bytes += page.size;
    for (const oldest of pages.values()) {
      if (bytes <= MAX_CACHE_BYTES) break;
      pages.delete(oldest.id);
      if (oldest.isUsed) {
        oldest.isUsed = false;
        pages.set(oldest.id, oldest);
      } else {
        slugs.delete(oldest.slug);
        bytes -= oldest.size;
      }
    }
  }

  async function read(
    readDocument: () => Promise<PageDocument | undefined>,
  ): Promise<CachedPage | undefined> {
    const dropsBefore = drops;
    const checkedAt = performance.now();
    const document = await readDocument();
    if (!document) return undefined;
    const page = await prepare(document, checkedAt, options);
    if (drops === dropsBefore) keep(page);
    return page;
  }

  /** A page that other nodes may have changed unheard is not for use before it has been compared. */
  function usable(page: CachedPage | undefined): CachedPage | undefined {
    if (checks.isAlone || !page) return page;
    const state = checks.stateOf(page);
    if (state === 'old') void compare(page);
    return state === 'unsure' ? undefined : page;
  }

  async function compare(page: CachedPage): Promise<boolean> {
    const isSame = await checks.compare(page, async () => {
      const row = await readRow(page.id);
      return row !== undefined && stampOf(row) === page.stamp;
    });
    if (!isSame && pages.get(page.id) === page) drop(page.id);
    return isSame;
  }

  async function compareOrRead(
    page: CachedPage | undefined,
    readDocument: () => Promise<PageDocument | undefined>,
  ): Promise<CachedPage | undefined> {
    const isUnsure = page && !checks.isAlone && checks.stateOf(page) === 'unsure';
    return isUnsure && (await compare(page)) ? page : read(readDocument);
  }

  return {
    bySlug(slug) {
      const page = usable(slugs.get(slug));
      if (page) hits++;
      return page;
    },
    byId(id) {
      const page = usable(pages.get(id));
      if (page) hits++;
      return page;
    },
    load(key, readDocument) {
      const running = loading.get(key);
      if (running) return running;
      loads++;
      const kept = typeof key === 'number' ? pages.get(key) : slugs.get(key);
      const started = compareOrRead(kept, readDocument).finally(() => {
        if (loading.get(key) === started) loading.delete(key);
      });
      loading.set(key, started);
      return started;
    },
    drop,
    status: () => ({ pages: pages.size, bytes, hits, loads }),
  };
}

/** Of all columns but the views, which no page shows; the document has a version. */
function stampOf(row: PageRow): string {
  return JSON.stringify(row, (key, value: unknown) =>
    key === 'views' || key === 'html_content' ? undefined : value,
  );
}

async function prepare(page: PageDocument, checkedAt: number, options: RenderOptions): Promise<CachedPage> {
  const rendered = renderPage(page, options);
  const bytes = Buffer.from(joinRendered(rendered));
  const tag = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22);
  const variants = await makeVariants(bytes, tag);
  return {
    ...variants,
    id: page.id,
    access: {
      id: page.id,
      owner_id: page.owner_id,
      storage_mode: page.storage_mode,
      is_published: page.is_published,
    },
    slug: page.slug,
    isPublished: page.is_published === 1,
    isUnlisted: page.is_unlisted === 1,
    rendered,
    tag,
    size: 2 * bytes.length + variants.gzip.bytes.length + variants.br.bytes.length,
    stamp: stampOf(page),
    checkedAt,
    isUsed: true,
  };
}
