import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor, CookieJar } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
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
  /** Makes a short page session for a check, without features. */
  makeCheckSession(actor: Actor, pageId: number): string;
}
