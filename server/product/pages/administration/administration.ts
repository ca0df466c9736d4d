import type { AdminPage, AdminPageDetail, AdminPageQuery } from '../../../../contract/admin/content.ts';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { listDomains } from '../domains/store.ts';
import { storedFileBytes } from '../files/store.ts';
import { setUnlistedByAdmin } from '../gallery/store.ts';
import { isListed } from '../model/gallery-listing.ts';
import { lockPage, storedBytes } from '../model/page-store.ts';
import {
  findForAdministrators,
  type ListedPage,
  listByIds,
  listForAdministrators,
  setBranchesTakenDown,
  setOwnerBlocked,
  setTakenDown,
} from './store.ts';

interface Options {
  db: Db;
  baseUrl: string;
  /** Views that are not written yet. */
  views: { pending(pageId: number): number };
  /** The account that owns what people try; undefined if nobody has tried anything yet. */
  peekTrialOwner(): Promise<number | undefined>;
  changed(pageId: number): void;
}

/** The pages, as administrators see and change them. Changes are published to all nodes after their commit. */
export class PageAdministration {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Lists pages. Those that somebody tries are drafts for two minutes, and listed only if they are asked for. */
  async list(filter: AdminPageQuery): Promise<{ pages: AdminPage[]; total: number }> {
    const { db, peekTrialOwner } = this.#options;
    const isAskedFor = filter.owner !== undefined || filter.slug !== undefined;
    const hidden = isAskedFor ? undefined : await peekTrialOwner();
    const { rows, total } = await listForAdministrators(db, filter, hidden);
    return { pages: rows.map((row) => this.#toWire(row)), total };
  }

  /** Describes pages by their ids, with their current versions. */
  async describe(ids: number[]): Promise<Map<number, { page: AdminPage; version: number }>> {
    const rows = await listByIds(this.#options.db, ids);
    return new Map(rows.map((row) => [row.id, { page: this.#toWire(row), version: row.version }]));
  }

  async detail(id: number): Promise<AdminPageDetail['page'] | undefined> {
    const { db } = this.#options;
    const row = await findForAdministrators(db, id);
    if (!row) return undefined;
    const domains = await listDomains(db, id);
    return {
      ...this.#toWire(row),
      versions: row.version,
      bytes: (await storedBytes(db, id)) + (await storedFileBytes(db, id)),
      domains: domains.map(({ domain }) => domain),
    };
  }

  /** Hides all pages of an owner, or shows them again. */
  async setOwnerBlocked(tx: Tx, ownerId: number, at: number | null): Promise<() => void> {
    const ids = await setOwnerBlocked(tx, ownerId, at);
    return () => {
      for (const id of ids) this.#options.changed(id);
    };
  }

  /** Takes a page down with its branches, or restores them. Undefined if there is no such page, or it is not taken down. */
  async setTakenDown(tx: Tx, id: number, down: { at: number; reason: string } | null) {
    const before = (await lockPage(tx, id))?.taken_down_at ?? null;
    const row = await setTakenDown(tx, id, down);
    if (!row) return undefined;
    const branches = await setBranchesTakenDown(tx, { id, before }, down);
    return {
      row,
      announce: () => {
        for (const each of [id, ...branches]) this.#options.changed(each);
      },
    };
  }

  /** Removes a page from the gallery, or lets its owner add it again. Undefined if that changes nothing. */
  async setUnlisted(tx: Tx, id: number, removal: { at: number; reason: string } | null) {
    const row = await setUnlistedByAdmin(tx, id, removal);
    return row && { row, announce: () => this.#options.changed(id) };
  }

  #toWire(row: ListedPage): AdminPage {
    const { baseUrl, views } = this.#options;
    return {
      id: row.id,
      name: row.name,
      slug: row.slug,
      url: pageUrl(baseUrl, row.slug),
      owner: { id: row.owner_id, username: row.owner },
      isPublished: row.is_published === 1,
      isUnlisted: row.is_unlisted === 1,
      isListed: isListed(row),
      removedFromGallery:
        row.unlisted_by_admin_at === null
          ? null
          : { at: toTimestamp(row.unlisted_by_admin_at), reason: row.unlisted_by_admin_reason ?? '' },
      unclaimedUntil: row.claim_hash === null ? null : toTimestamp(row.access_expires_at ?? 0),
      accessMode: row.access_mode,
      storageMode: row.storage_mode,
      views: row.views + views.pending(row.id),
      createdAt: toTimestamp(row.created_at),
      updatedAt: toTimestamp(row.updated_at),
      takenDown:
        row.taken_down_at === null
          ? null
          : { at: toTimestamp(row.taken_down_at), reason: row.taken_down_reason ?? '' },
      isOwnerBlocked: row.owner_blocked_at !== null,
    };
  }
}
