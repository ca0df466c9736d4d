import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../model/directory.ts';
import type { OwnHosts } from './names.ts';
import type { LookUpTxt } from './resolver.ts';
import type { DomainTable } from './table.ts';

/** What the operations on domains need. */
export interface DomainsContext {
  db: Db;
  now: () => number;
  directory: PageDirectory;
  hosts: OwnHosts;
  table: DomainTable;
  lookUpTxt: LookUpTxt;
  /** Attempts to verify, by owner. */
  verifications: Limit;
  /** Questions about certificates, by address. */
  tlsQuestions: Limit;
  /** Whether a function with this id exists. */
  hasFunction(id: number): Promise<boolean>;
  /** Address blocks of the proxies, which ask about certificates. */
  trustedProxies: readonly string[];
  /** Called when the address of a page has changed. */
  pageChanged(pageId: number): void;
}
