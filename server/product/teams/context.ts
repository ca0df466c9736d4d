import type { Role } from '../../../contract/roles.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage, PageDirectory } from '../ports.ts';

/** The dependencies of the teams slice. */
export interface TeamsContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  pages: PageDirectory;
  mail: Pick<Mail, 'isConfigured' | 'send'>;
  /** Where the bytes of files are stored. */
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
  /** Fails if the user cannot do this with the team's files, or with one of them. */
  demandFileAccess(
    actor: { userId: number; role: Role },
    action: 'read' | 'create' | 'delete',
    file?: { createdBy: number },
  ): void;
  /** The name of a user, to show. */
  readUsername(userId: number): Promise<string>;
  /** Called when a user's role on a page and its branches has changed: they may have to leave open streams. */
  accessChanged(pageId: number): Promise<void>;
}
