import {
  type Broadcast,
  CheckedCache,
  type CheckedEntry,
} from '../../../platform/coordination/events/index.ts';
import type { Variants } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { PageAccess } from '../directory.ts';
import { type CacheStatus, createCacheShares } from './cache-shares.ts';
import { type PreparedVariant, prepare } from './prepared.ts';
import type { Rendered } from './render/render.ts';
import type { Renderer } from './render/renderer.ts';

/** A page in memory, ready to send: rendered and compressed once per change. */
export interface CachedPage
  extends Variants<PreparedVariant>,
    Pick<Rendered, 'tag' | 'sessionAt' | 'links'>,
    CheckedEntry {
  /** Decides who can see a draft. */
  access: PageAccess;
  isPublished: boolean;
  isUnlisted: boolean;
  /** Its main address, if that is a domain. A draft has none: only people who work on it can see it. */
  domain: string | null;
  size: number;
  /** Set by every hit. The cache evicts unused pages first. */
  isUsed: boolean;
}

/** Rendered pages, by slug and id. */
export class PageCache extends CheckedCache<CachedPage> {
  readonly #status: () => CacheStatus;

  constructor(options: {
    broadcast: Broadcast;
    render: Renderer['render'];
    /** Reads the row of a page, to compare with a cached page. */
    readRow(id: number): Promise<PageRow | undefined>;
  }) {
    const { broadcast, render, readRow } = options;
    let status: () => CacheStatus = () => ({ pages: 0, bytes: 0 });
    super({
      broadcast,
      createStore(onRemove) {
        const store = createCacheShares<CachedPage>(onRemove);
        status = store.status;
        return store;
      },
      async read(key, onId) {
        const found = await render(key, ({ id }) => onId(id));
        return found && toCached(found.row, found.rendered);
      },
      async readStamp(id) {
        const row = await readRow(id);
        return row && stampOf(row);
      },
    });
    this.#status = status;
    broadcast.subscribe('page', (id) => this.drop(Number(id)));
  }

  /** Its content, its hits, and how often it had to load. */
  status(): CacheStatus & { hits: number; loads: number } {
    return { ...this.#status(), hits: this.hits, loads: this.loads };
  }
}

/** All columns except the views, which no page shows. The document has a version. */
function stampOf(row: PageRow): string {
  return JSON.stringify(row, (key, value: unknown) =>
    key === 'views' || key === 'html_content' ? undefined : value,
  );
}

function toCached(row: PageRow, rendered: Rendered) {
  const { id, owner_id, storage_mode, is_published } = row;
  const { plain, gzip, br, tag, sessionAt, links } = rendered;
  return {
    ...{ plain: prepare(plain), gzip: prepare(gzip), br: prepare(br), tag, sessionAt, links },
    id,
    access: { id, owner_id, storage_mode, is_published },
    slug: row.slug,
    domain: is_published === 1 ? row.domain : null,
    isPublished: is_published === 1,
    isUnlisted: row.is_unlisted === 1,
    size: plain.bytes.length + gzip.bytes.length + br.bytes.length,
    stamp: stampOf(row),
    isUsed: true,
  };
}
