import type { StoredList, StoredOnPage } from '../../../contract/accounts/privacy.ts';
import { notFound } from '../../lib/errors.ts';
import type { ExportFile } from '../../lib/formats/export-files.ts';
import { exportFile } from '../../lib/formats/export-files.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** Pages that one request lists. */
export const MAX_LISTED = 200;
/** Collections that one request reads, including those on the user's own pages. */
const MAX_COLLECTIONS = 2_000;
/** Records that one request deletes. */
const MAX_DELETED = 1_000;

interface StoredContext {
  db: Db;
  pages: PageDirectory;
  records: Records;
  files: Files;
  /** The branches of a page, also those that are being made. */
  listBranches(db: Db, pageId: number): Promise<number[]>;
}

/** A collection that a user has stored something in. */
interface Collection {
  id: number;
  page_id: number;
}

/** What a user has stored in collections. */
interface Records {
  eachCollection(userId: number, among?: 'records' | 'deleted records'): AsyncIterable<Collection>;
  measure(
    collection: Collection,
    userId: number,
  ): Promise<{ records: number; bytes: number; last: number | null }>;
  exportFiles(collection: Collection, folder: string, userId: number): ExportFile[];
  deleteOnPage(userId: number, page: PageRow, most: number): Promise<number>;
}

/** What a user has uploaded to teams. */
interface Files {
  measure(
    userId: number,
  ): Promise<Array<{ pageId: number; files: number; bytes: number; last: number | null }>>;
  exportOnPage(userId: number, pageId: number, folder: string): AsyncIterable<ExportFile>;
  deleteOnPage(userId: number, page: PageRow): Promise<number>;
}

type Measured = Omit<StoredOnPage, 'name' | 'slug' | 'lastStoredAt'> & { last: number };

/**
 * What people have stored on other people's pages: for them to see, take with them, and delete. Branches have copies of
 * it, so they count as their page.
 */
export class Stored {
  readonly #context: StoredContext;

  constructor(context: StoredContext) {
    this.#context = context;
  }

  async list(actor: Actor): Promise<StoredList> {
    const { db, pages } = this.#context;
    const { found, hasMore } = await this.#measure(actor.userId);
    const names = await pages.describe(db, [...found.keys()], actor);
    const listed = [...found.values()].flatMap(({ last, ...each }): StoredOnPage[] => {
      const page = names.get(each.pageId);
      const lastStoredAt = last === 0 ? null : toTimestamp(last);
      return page ? [{ ...each, name: page.name, slug: page.slug, lastStoredAt }] : [];
    });
    return { pages: listed, hasMore };
  }

  /** Deletes some of a user's data on a page and its branches. */
  async delete({ userId }: Actor, pageId: number): Promise<{ deleted: number; isDone: boolean }> {
    const { db, pages, listBranches } = this.#context;
    const named = await pages.find(db, String(pageId));
    const page = named && (await this.#findMain(named));
    if (!page || page.owner_id === userId)
      throw notFound('Anything that you stored on this page was not found.');
    let deleted = await this.#deleteOnPage(userId, page, MAX_DELETED);
    // Listed after that: a branch that is added later gets nothing that the page does not have any more.
    for (const id of await listBranches(db, page.id)) {
      if (deleted >= MAX_DELETED) break;
      const branch = await pages.find(db, String(id));
      if (branch) deleted += await this.#deleteOnPage(userId, branch, MAX_DELETED - deleted);
    }
    return { deleted, isDone: deleted < MAX_DELETED };
  }

  async #deleteOnPage(userId: number, page: PageRow, most: number): Promise<number> {
    const { records, files } = this.#context;
    const deleted = await records.deleteOnPage(userId, page, most);
    return deleted >= most ? deleted : deleted + (await files.deleteOnPage(userId, page));
  }

  /** The page that a branch belongs to, or the page itself. */
  async #findMain(page: PageRow): Promise<PageRow | undefined> {
    const { db, pages } = this.#context;
    return page.branch_of === null ? page : pages.find(db, String(page.branch_of));
  }

  /** Everything that a user has stored on other people's pages, as files of an export. */
  async *exportFiles(actor: Actor): AsyncGenerator<ExportFile> {
    const { db, pages, records, files } = this.#context;
    const { userId } = actor;
    const toFolder = (pageId: number) => `elsewhere/${pageId}`;
    const seen = new Set<number>();
    const introduce = async (pageId: number) => {
      if (seen.has(pageId)) return undefined;
      seen.add(pageId);
      const page = (await pages.describe(db, [pageId], actor)).get(pageId);
      return page && exportFile(`${toFolder(pageId)}/page.json`, { id: pageId, slug: page.slug });
    };
    const exported = new Set<number>();
    for (const among of ['records', 'deleted records'] as const)
      for await (const collection of records.eachCollection(userId, among)) {
        if (exported.has(collection.id) || !(await this.#elsewhere(userId, collection.page_id))) continue;
        exported.add(collection.id);
        const intro = await introduce(collection.page_id);
        if (intro) yield intro;
        yield* records.exportFiles(collection, toFolder(collection.page_id), userId);
      }
    for (const { pageId } of await files.measure(userId)) {
      if (!(await this.#elsewhere(userId, pageId))) continue;
      const intro = await introduce(pageId);
      if (intro) yield intro;
      yield* files.exportOnPage(userId, pageId, `${toFolder(pageId)}/files`);
    }
  }

  async #elsewhere(userId: number, pageId: number): Promise<PageRow | undefined> {
    const { db, pages } = this.#context;
    const page = await pages.find(db, String(pageId));
    return page && page.owner_id !== userId ? page : undefined;
  }

  async #measure(userId: number): Promise<{ found: Map<number, Measured>; hasMore: boolean }> {
    const { records, files } = this.#context;
    const found = new Map<number, Measured>();
    const mains = new Map<number, number | 'own'>();
    const at = async (pageId: number): Promise<Measured | 'own' | 'too many'> => {
      const page = mains.has(pageId) ? undefined : await this.#elsewhere(userId, pageId);
      const main = mains.get(pageId) ?? (page ? (page.branch_of ?? page.id) : 'own');
      mains.set(pageId, main);
      if (main === 'own') return 'own';
      const known = found.get(main);
      if (known) return known;
      if (found.size >= MAX_LISTED) return 'too many';
      const fresh = { pageId: main, records: 0, files: 0, bytes: 0, last: 0 };
      found.set(main, fresh);
      return fresh;
    };
    let looked = 0;
    for await (const collection of records.eachCollection(userId)) {
      if (++looked > MAX_COLLECTIONS) return { found, hasMore: true };
      const page = await at(collection.page_id);
      if (page === 'too many') return { found, hasMore: true };
      if (page === 'own') continue;
      const { records: count, bytes, last } = await records.measure(collection, userId);
      page.records += count;
      page.bytes += bytes;
      page.last = Math.max(page.last, last ?? 0);
    }
    for (const { pageId, files: count, bytes, last } of await files.measure(userId)) {
      const page = await at(pageId);
      if (page === 'too many') return { found, hasMore: true };
      if (page === 'own') continue;
      page.files += count;
      page.bytes += bytes;
      page.last = Math.max(page.last, last ?? 0);
    }
    return { found, hasMore: false };
  }
}
