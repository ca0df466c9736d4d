import type { Checked, Checks } from '../../../platform/coordination/events/index.ts';
import type { PageAccess } from '../access.ts';
import type { PageRow } from '../store.ts';
import { createCacheShares } from './cache-shares.ts';
import type { Rendered } from './render.ts';
import type { RenderedPage, Renderer } from './renderer.ts';

/** A page in memory, ready to send: rendered and compressed once per change. */
export interface CachedPage extends Rendered, Checked {
  id: number;
  /** Decides who may see a draft. */
  access: PageAccess;
  slug: string;
  isPublished: boolean;
  isUnlisted: boolean;
  size: number;
  /** Differs when anything of the page's row that matters here does. */
  stamp: string;
  /** Set by every hit; the cache lets go first of what nobody asks for. */
  isUsed: boolean;
}

export interface PageCache {
  bySlug(slug: string): CachedPage | undefined;
  byId(id: number): CachedPage | undefined;
  /** Reads, renders and keeps a page, asked for by slug or id; callers that ask at the same time share the work. */
  load(key: string | number): Promise<CachedPage | undefined>;
  drop(id: number): void;
  /** What it holds, and how often it was asked for what it had and had to read. */
  status(): { pages: number; bytes: number; hits: number; loads: number };
}

/** A page that is being read; which one is known once its row is there. */
interface Loading {
  page: Promise<CachedPage | undefined>;
  id?: number;
  /** It has changed meanwhile: what was read is sent to those who wait, but not kept. */
  isOld: boolean;
}

export function createPageCache(options: {
  render: Renderer['render'];
  checks: Checks;
  /** Reads the row of a page, to compare a kept page with. */
  readRow(id: number): Promise<PageRow | undefined>;
}): PageCache {
  const { checks, readRow, render } = options;
  const slugs = new Map<string, CachedPage>();
  const pages = createCacheShares<CachedPage>((page) => {
    if (slugs.get(page.slug) === page) slugs.delete(page.slug);
  });
  const loading = new Map<string | number, Loading>();
  let hits = 0;
  let loads = 0;

  function drop(id: number): void {
    for (const [key, each] of loading) {
      if (each.id !== undefined && each.id !== id) continue;
      each.isOld = true;
      loading.delete(key);
    }
    pages.remove(id);
  }

  /** A page that other nodes may have changed unheard is not for use before it has been compared. */
  function usable(page: CachedPage | undefined): CachedPage | undefined {
    if (!page) return undefined;
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
    kept: CachedPage | undefined,
    key: string | number,
    current: Omit<Loading, 'page'>,
  ): Promise<CachedPage | undefined> {
    if (kept && checks.stateOf(kept) === 'unsure' && (await compare(kept))) return kept;
    // It may have been found out to be old just now, but what is read from here on is not.
    current.isOld = false;
    const checkedAt = performance.now();
    const found = await render(key, ({ id }) => {
      current.id = id;
    });
    if (!found) return undefined;
    const page = toCached(found, checkedAt);
    if (!current.isOld) {
      slugs.set(page.slug, page);
      pages.add(page);
    }
    return page;
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
    load(key) {
      const running = loading.get(key);
      if (running) return running.page;
      loads++;
      const kept = typeof key === 'number' ? pages.get(key) : slugs.get(key);
      const current: Omit<Loading, 'page'> & Partial<Loading> = { isOld: false };
      const page = compareOrRead(kept, key, current).finally(() => {
        if (loading.get(key) === current) loading.delete(key);
      });
      loading.set(key, Object.assign(current, { page }));
      return page;
    },
    drop,
    status: () => ({ ...pages.status(), hits, loads }),
  };
}

/** Of all columns but the views, which no page shows; the document has a version. */
function stampOf(row: PageRow): string {
  return JSON.stringify(row, (key, value: unknown) =>
    key === 'views' || key === 'html_content' ? undefined : value,
  );
}

function toCached({ row, rendered }: RenderedPage, checkedAt: number): CachedPage {
  const { id, owner_id, storage_mode, is_published } = row;
  const { plain, gzip, br } = rendered;
  return {
    ...rendered,
    id,
    access: { id, owner_id, storage_mode, is_published },
    slug: row.slug,
    isPublished: is_published === 1,
    isUnlisted: row.is_unlisted === 1,
    size: plain.bytes.length + gzip.bytes.length + br.bytes.length,
    stamp: stampOf(row),
    checkedAt,
    isUsed: true,
  };
}
