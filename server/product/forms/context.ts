import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage, KeepMail, PageDirectory } from '../ports.ts';

/** The dependencies of the forms slice. */
export interface FormsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** The host whose subdomains are pages' own hosts, if they have any. */
  pagesHost: string | undefined;
  pages: PageDirectory;
  /** The HTML of a page, which names its forms. */
  readPageHtml(db: Db, pageId: number): Promise<string>;
  /** Where the bytes of files are stored. */
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
  mail: Pick<Mail, 'isConfigured' | 'send' | 'write'>;
  keepMail: KeepMail;
  /** The address of a user, if they have confirmed that it is theirs. */
  findConfirmedEmail(db: Db, userId: number): Promise<string | undefined>;
  /** Rate limits: messages per IP address and per page, and new forms that an IP address adds to a page. */
  limits: { perAddress: Limit; perPage: Limit; newForms: Limit };
}
