import type { Role } from '../../../contract/roles.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';

/** What teams need to know of pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page so that nobody else changes it before this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** Returns the page to those who may see it, and fails for others. */
  require(db: Db, page: PageRow | undefined, actor: Actor | undefined, action: 'see'): Promise<PageRow>;
  roleOf(db: Db, page: PageRow, actor: { userId: number } | undefined): Promise<Role | undefined>;
  /** What a list shows of pages, by their id. Those that are gone are left out. */
  describe(
    db: Db,
    ids: number[],
  ): Promise<Map<number, Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode'>>>;
}

/** What the verbs of this slice work with. */
export interface TeamsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  pages: Pages;
  /** Where the files' bytes are kept. */
  kept: KeptBlobs;
  /** Counts what the owner of a page stores. Fails when that would pass their quota; only they are told its size. */
  chargeUsage(tx: Tx, userId: number, change: { bytes: number }, askedBy?: number): Promise<void>;
  /** Fails when somebody may not do this with the team's files, or with one of them. */
  demandFileAccess(
    actor: { userId: number; role: Role },
    action: 'read' | 'create' | 'delete',
    file?: { createdBy: number },
  ): void;
  /** The name of a user, to show. */
  usernameOf(userId: number): Promise<string>;
  /** Called when somebody's role on a page has changed: open streams may no longer be theirs. */
  accessChanged(pageId: number): void;
}
