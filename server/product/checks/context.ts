import type { GrantableRole } from '../../../contract/roles.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor, CookieJar } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { Browser } from '../../runtime/browser/index.ts';
import type { PageDirectory } from '../ports.ts';

/** The dependencies of the checks slice. */
export interface ChecksContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  cookies: CookieJar;
  browser: Browser;
  kept: KeptBlobs;
  /** How often a user can have pages checked. */
  limit: Limit;
  pages: PageDirectory;
  /** The address of a draft. Fails if there is no such draft. */
  makePreviewUrl(page: PageRow, draft: number, actor: Actor): Promise<string>;
  /** A page with a visitor's page session in it, for sandbox isolation. */
  sendWithSession(pageId: number, pageSession: string, request: Request): Promise<Response>;
  /** Makes a short page session for a check, without features. It ends with the token that asked for the check. */
  makeCheckSession(userId: number, pageId: number, tokenId: number | undefined): string;
  people: InventedPeople;
}

/** What other folders know about people who were invented for a check. */
interface InventedPeople {
  insert(tx: Tx, person: { name: string; pageId: number; now: number }): Promise<number>;
  /** Ends what they may do. */
  block(db: Db, userId: number, now: number): Promise<void>;
  /** Those who were made before this time. */
  list(db: Db, before: number): Promise<Array<{ userId: number; pageId: number }>>;
  remove(tx: Tx, userId: number): Promise<void>;
  /** Removes their records and files on a page. */
  removeStored(userId: number, page: PageRow): Promise<void>;
  hasStored(tx: Tx, userId: number): Promise<boolean>;
  /** The role of a real member of the team. */
  findRole(db: Db, page: PageRow, username: string): Promise<GrantableRole | undefined>;
  join(tx: Tx, member: { pageId: number; userId: number; role: GrantableRole; now: number }): Promise<void>;
  /** Called when the team of a page has changed. */
  accessChanged(pageId: number): void;
}
