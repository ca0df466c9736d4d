import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage, PageDirectory } from '../ports.ts';

/** What the operations of this slice need. */
export interface FormsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** The host whose subdomains are pages' own hosts, if they have any. */
  pagesHost: string | undefined;
  pages: PageDirectory;
  /** The HTML of a page, which names its forms. */
  htmlOf(db: Db, pageId: number): Promise<string>;
  /** Where the bytes of files are stored. */
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
  mail: Pick<Mail, 'isConfigured' | 'send'>;
  /** The address of a user, if they have confirmed that it is theirs. */
  confirmedEmailOf(db: Db, userId: number): Promise<string | undefined>;
  /** Messages per address and per page, and names that an address adds to a page. */
  limits: { perAddress: Limit; perPage: Limit; newForms: Limit };
}
