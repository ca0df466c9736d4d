import type { Generated, Selectable } from 'kysely';
import type { DomainProblem } from '../../../../contract/pages/domains/domains.ts';

/** A domain that a page has, or wants to have. It is stored in its ASCII form. */
export interface PageDomainsTable {
  id: Generated<number>;
  page_id: number;
  domain: string;
  /** What the TXT record must contain. */
  token: string;
  created_at: number;
  /** When the owner proved that they control the domain, if they have. Only one row of a domain has it. */
  verified_at: number | null;
  checked_at: number | null;
  /** Since when the TXT record of a verified domain has been missing. */
  failing_since: number | null;
  /** Why the last check failed. */
  problem: DomainProblem | null;
}

export type DomainRow = Selectable<PageDomainsTable>;
