import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor, Caller } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';

/** What forms need to know about pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /** Returns the page if the user can do this with it, and fails otherwise. */
  require(
    db: Db,
    page: PageRow | undefined,
    actor: Actor | undefined,
    action: 'read' | 'write',
  ): Promise<PageRow>;
}

/** What the operations of this slice need. */
export interface FormsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** The host whose subdomains are pages' own hosts, if they have any. */
  pagesHost: string | undefined;
  pages: Pages;
  /** The HTML of a page, which names its forms. */
  htmlOf(db: Db, pageId: number): Promise<string>;
  /** Where the bytes of files are stored. */
  kept: KeptBlobs;
  /** Counts what the owner of a page stores. Fails if that exceeds their quota. */
  chargeUsage(tx: Tx, userId: number, change: { bytes: number }, askedBy?: number): Promise<void>;
  mail: Pick<Mail, 'isConfigured' | 'send'>;
  /** The address of a user, if they have confirmed that it is theirs. */
  confirmedEmailOf(db: Db, userId: number): Promise<string | undefined>;
  /** Messages per address and per page, and names that an address adds to a page. */
  limits: { perAddress: Limit; perPage: Limit; newForms: Limit };
}
