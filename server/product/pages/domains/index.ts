import { VERIFICATIONS } from '../../../../contract/pages/domains/domains.ts';
import type { Broadcast } from '../../../platform/coordination/events/index.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { DomainsContext } from './context.ts';
import type { OwnHosts } from './names.ts';
import { createLookUpTxt } from './resolver.ts';
import { domainRoutes } from './routes.ts';
import { findPageOfDomain } from './store.ts';
import { DomainTable } from './table.ts';
import { recheckDomains } from './verify.ts';

/** Questions about certificates per minute and IP address, except those of the proxy. */
const TLS_QUESTIONS = { points: 60, seconds: 60 };

/** The domains of pages. */
export interface Domains {
  routes: Route[];
  /** Finds the page that a host belongs to. */
  table: DomainTable;
  /** Checks the records of verified domains again. */
  recheck(isStopping: () => boolean): Promise<void>;
}

/** The dependencies of domains. */
export interface DomainsOptions extends Pick<DomainsContext, 'directory' | 'hasFunction' | 'now'> {
  db: Db;
  broadcast: Broadcast;
  limits: Limits;
  config: OwnHosts & { dnsServers: readonly string[]; trustedProxies: readonly string[] };
}

export function createDomains(options: DomainsOptions, pageChanged: DomainsContext['pageChanged']): Domains {
  const { db, broadcast, limits, config } = options;
  const table = new DomainTable({ broadcast, read: (domain) => findPageOfDomain(db, domain) });
  const context: DomainsContext = {
    ...options,
    hosts: config,
    trustedProxies: config.trustedProxies,
    table,
    lookUpTxt: createLookUpTxt(config.dnsServers),
    verifications: limits.limit(
      'domain-verifications',
      VERIFICATIONS,
      'You have verified too many domains. DNS records take a while to be published. Try again {wait}.',
    ),
    tlsQuestions: limits.limit(
      'tls-questions',
      TLS_QUESTIONS,
      'You have asked about too many hosts. Try again {wait}.',
    ),
    pageChanged,
  };
  return {
    routes: domainRoutes(context),
    table,
    recheck: (isStopping) => recheckDomains(context, isStopping),
  };
}
