import type { PageIsolation } from '../../../../contract/pages/isolation.ts';
import {
  type Broadcast,
  CheckedCache,
  type CheckedEntry,
} from '../../../platform/coordination/events/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { Manifest } from '../files/manifest.ts';
import { isOpen, type PageAccess } from '../model/access-policy.ts';
import { readIsolation } from '../model/switches.ts';
import { type CacheStatus, createCacheShares } from './cache-shares.ts';
import { countBytes, prepareAll } from './prepared.ts';
import type { DescribedPage } from './render/render.ts';
import type { RenderedPage, Renderer } from './render/renderer.ts';
import type { SiteRules } from './rules/site-rules.ts';
import type { SentDocument } from './send.ts';

/** A page in memory, ready to send: rendered and compressed once per change. */
export interface CachedPage extends SentDocument, CheckedEntry {
  /** The columns that decide who can see the page. */
  access: PageAccess;
  /** The page's main address, if that is a domain. A draft has none: only people who work on it can see it. */
  domain: string | null;
  /** The part of the page that HTML files are rendered with. */
  described: DescribedPage;
  /** The files beside the document; undefined if there are none. */
  files: Manifest | undefined;
  /** The redirects and headers of the page; undefined if it has none. */
  rules: SiteRules | undefined;
  /** What the page asks browsers for on its own host, as headers; undefined if nothing. */
  isolation: Record<string, string> | undefined;
  /** Whether a script can be a service worker on the page's own host; `ended` if it could before. */
  worker: 'allowed' | 'ended' | 'never';
  /** Whether the page's own document is shown where no file is. */
  spa: boolean;
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
    /** Called when another node has changed a page. */
    onChangeElsewhere?(): void;
  }) {
    const { broadcast, render, readRow, onChangeElsewhere } = options;
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
        return found && toCached(found);
      },
      async readStamp(id) {
        const row = await readRow(id);
        return row && makeStamp(row);
      },
    });
    this.#status = status;
    broadcast.subscribe('page', (id) => {
      this.drop(Number(id));
      onChangeElsewhere?.();
    });
  }

  /** The size of the cache, its hits, and how often it had to load. */
  status(): CacheStatus & { hits: number; loads: number } {
    return { ...this.#status(), hits: this.hits, loads: this.loads };
  }
}

/** A stamp of all columns except the views, which no page shows. The document has a version. */
function makeStamp(row: PageRow): string {
  return JSON.stringify(row, (key, value: unknown) =>
    key === 'views' || key === 'html_content' || key === 'manifest_id' ? undefined : value,
  );
}

/** A rendered page as it is kept in memory. */
export function toCached({ row, rendered, files, rules }: RenderedPage) {
  const { id, slug, owner_id, storage_mode, is_published, name, description, preview_image, repair } = row;
  const { tag, sessionAt, links } = rendered;
  return {
    ...prepareAll(rendered, owner_id),
    ...{ id, slug, tag, sessionAt, links, files, rules },
    access: pickAccess(row),
    described: {
      ...{ id, slug, domain: row.domain, owner_id, storage_mode, name, description, preview_image, repair },
    },
    domain: is_published === 1 ? row.domain : null,
    isOpen: isOpen(row),
    isUnlisted: row.is_unlisted === 1,
    spa: row.spa === 1,
    ...describeIsolation(readIsolation(row)),
    size: countBytes(rendered) + sizeOfManifest(files),
    stamp: makeStamp(row),
    isUsed: true,
  };
}

function describeIsolation({ coop, coep, service_worker: allowsWorker }: PageIsolation) {
  const headers = {
    ...(coop && { 'cross-origin-opener-policy': coop }),
    ...(coep && { 'cross-origin-embedder-policy': coep }),
    // A worker could hand its copy of a document to frames of others, which get another one from us.
    ...(allowsWorker && { 'content-security-policy': "frame-ancestors 'self'" }),
  };
  const worker = allowsWorker === undefined ? 'never' : allowsWorker ? 'allowed' : 'ended';
  return { isolation: Object.keys(headers).length > 0 ? headers : undefined, worker } as const;
}

/** The columns for access, not the whole row, because many pages are in memory. */
function pickAccess(row: PageRow): PageAccess {
  const { id, owner_id, storage_mode, is_published, access_mode, access_stamp, access_expires_at } = row;
  const { taken_down_at, taken_down_reason, owner_blocked_at, claim_hash, branch_of } = row;
  return {
    ...{ id, owner_id, storage_mode, is_published, access_mode, access_stamp, access_expires_at },
    ...{ taken_down_at, taken_down_reason, owner_blocked_at, claim_hash, branch_of },
  };
}

/** Bytes of memory of a manifest entry: a hash, a size, a time and their objects. */
const ENTRY_BYTES = 300;

function sizeOfManifest(files: Manifest | undefined): number {
  if (!files) return 0;
  let bytes = 0;
  for (const path of files.keys()) bytes += ENTRY_BYTES + 2 * path.length;
  return bytes;
}
