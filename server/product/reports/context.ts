import type { AdminPage } from '../../../contract/admin/content.ts';
import type { ServiceKey } from '../../lib/secrets.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';
import type { ReportPictures } from './pictures.ts';

/** The dependencies of the reports slice. */
export interface ReportsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** The host whose subdomains are pages' own hosts, if they have any. */
  pagesHost: string | undefined;
  /** With it, addresses become texts that say nothing about them. */
  key: ServiceKey;
  kept: KeptBlobs;
  pages: PageDirectory;
  /** The page that a domain belongs to. */
  findPageOfDomain(domain: string): Promise<number | undefined>;
  /** What administrators see of pages, by their ids. */
  describePages(ids: number[]): Promise<Map<number, { page: AdminPage; version: number }>>;
  mail: Pick<Mail, 'isConfigured' | 'send'>;
  /** The address of a user, if they have confirmed that it is theirs. */
  findConfirmedEmail(db: Db, userId: number): Promise<string | undefined>;
  listAdministrators(db: Db): Promise<Array<{ id: number; email: string }>>;
  pictures: Pick<ReportPictures, 'want'>;
  /** Rate limit of reports per IP address. */
  perHour: Limit;
}
