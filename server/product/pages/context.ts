import type { DataAccess } from '../../../contract/data/data-access.ts';
import type { PreviewedAs } from '../../../contract/pages/previews.ts';
import type { Role } from '../../../contract/roles.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor, CookieJar } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { PagePasswords } from './access/attempts.ts';
import type { KeyHolder } from './access/passes.ts';
import type { PageDirectory } from './directory.ts';
import type { DomainTable } from './domains/table.ts';
import type { PageFiles } from './files/page-files.ts';
import type { Uploads } from './files/uploads/uploads.ts';
import type { Gallery } from './gallery/gallery.ts';
import type { Photographer } from './pictures/photographer.ts';
import type { PreviewLinks } from './serving/previews/links.ts';
import type { Views } from './serving/views.ts';
import type { SharedContext } from './shared/list.ts';
import type { Warnings } from './warnings/warnings.ts';

/** Counts what a user has and stores, in the same transaction. Fails if that exceeds a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { pages?: number; bytes: number },
  /** The caller, if that may be someone else: only the user sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;

/** What a page's script can do as its visitor, and how that reaches the page's own host. */
export interface PageSessions {
  /** How long a page session lasts. */
  readonly seconds: number;
  make(actor: Actor, pageId: number): string | undefined;
  /** For a preview in the dashboard; undefined unless a browser's login asks. */
  makeForPreview(
    actor: Actor,
    pageId: number,
    maxRole: PreviewedAs,
  ): { pageSession: string; expiresIn: number } | undefined;
  find(token: string, pageId: number): Promise<Actor | undefined>;
  findAgain(
    visitor: Pick<KeyHolder, 'session' | 'checker' | 'maxRole' | 'endsAt'>,
  ): Promise<Actor | undefined>;
  makeTicket(actor: Actor, pageId: number, browser: string): string | undefined;
  redeemTicket(ticket: string, pageId: number, browserSecret: string): Promise<string | undefined>;
}

/** Copies something that belongs to a page, such as its agent spec, to a fork. Returns the added bytes. */
export type CopyToFork = (tx: Tx, from: PageRow, to: PageRow) => Promise<number>;

/** Removes what belongs to a page that is deleted. Returns the freed bytes. */
export type RemoveWithPage = (tx: Tx, page: PageRow) => Promise<number>;

/** What the operations of this slice need. */
export interface PagesContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  cookies: CookieJar;
  directory: PageDirectory;
  pageSessions: PageSessions;
  chargeUsage: ChargeUsage;
  files: PageFiles;
  mail: Pick<Mail, 'isConfigured' | 'send' | 'sharesLeft'>;
  limits: Limits;
  /** Hashes the passwords of pages. */
  passwords: PagePasswords;
  uploads: Uploads;
  /** Addresses of drafts and versions. */
  previewLinks: PreviewLinks;
  views: Views;
  domains: DomainTable;
  warnings: Warnings;
  gallery: Gallery;
  kept: KeptBlobs;
  pictures: Pick<Photographer, 'want'>;
  /** What other slices store with a page: copied to its forks, removed with it. */
  copies: CopyToFork[];
  removals: RemoveWithPage[];
  /** Deletes what a page has so many rows of that deleting them with it would delay everyone. */
  empty(page: PageRow): Promise<void>;
  /** Those of these functions that belong to a user and that anyone can call. */
  publicFunctionsOf(db: Db, ownerId: number, slugs: readonly string[]): Promise<string[]>;
  /** What someone can do with the data of a page. Undefined if it stores none. */
  dataAccessOf(
    page: PageRow,
    userId: number | undefined,
    role: Role | undefined,
  ): Promise<DataAccess | undefined>;
  /** The teams that a user is in: a bounded number, newest first. */
  membershipsOf: SharedContext['membershipsOf'];
  /** Called when a page has changed, so that no old copy is served. */
  changed(pageId: number): void;
}
