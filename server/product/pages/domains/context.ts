import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../model/directory.ts';
import type { OwnHosts } from './names.ts';
import type { LookUpTxt } from './resolver.ts';
import type { DomainTable } from './table.ts';

/** The dependencies of the operations on domains. */
export interface DomainsContext {
  db: Db;
  now: () => number;
  directory: PageDirectory;
  hosts: OwnHosts;
  table: DomainTable;
  lookUpTxt: LookUpTxt;
  /** The rate limit of attempts to verify, per owner. */
  verifications: Limit;
  /** The rate limit of questions about certificates, per IP address. */
  tlsQuestions: Limit;
  /** Whether a function with this id exists. */
  hasFunction(id: number): Promise<boolean>;
  /** Address blocks of the proxies, which ask about certificates. */
  trustedProxies: readonly string[];
  /** Called when the address of a page has changed. */
  pageChanged(pageId: number): void;
}
