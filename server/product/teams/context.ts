import type { GrantableRole, Role } from '../../../contract/roles.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Actor, Caller } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';

/** What teams need to know about pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /** The page for somebody who is offered this role. Its name is hidden if they could not see it even then. */
  introduce(db: Db, page: PageRow, caller: Caller, offered: GrantableRole): Promise<PageRow>;
  roleOf(
    db: Db,
    page: PageRow,
    actor: Pick<Actor, 'userId' | 'maxRole'> | undefined,
  ): Promise<Role | undefined>;
  /** What a list shows of pages, by id. Deleted pages are left out. */
  describe(
    db: Db,
    ids: number[],
    actor: Actor,
  ): Promise<Map<number, Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id' | 'storage_mode'>>>;
}

/** What the operations of this slice need. */
export interface TeamsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  pages: Pages;
  mail: Pick<Mail, 'isConfigured' | 'send'>;
  /** Where the bytes of files are stored. */
  kept: KeptBlobs;
  /** Counts what the owner of a page stores. Fails if that exceeds their quota. Only they see its size. */
  chargeUsage(tx: Tx, userId: number, change: { bytes: number }, askedBy?: number): Promise<void>;
  /** Fails if the user cannot do this with the team's files, or with one of them. */
  demandFileAccess(
    actor: { userId: number; role: Role },
    action: 'read' | 'create' | 'delete',
    file?: { createdBy: number },
  ): void;
  /** The name of a user, to show. */
  usernameOf(userId: number): Promise<string>;
  /** Called when a user's role on a page has changed: they may have to leave open streams. */
  accessChanged(pageId: number): void;
}
