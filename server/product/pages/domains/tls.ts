import { readDomain } from '../../../../contract/pages/domains/domain-names.ts';
import { blockMatcher, limitKey } from '../../../lib/addresses.ts';
import { findPage } from '../model/page-store.ts';
import type { DomainsContext } from './context.ts';
import { stripPort } from './names.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The client that asks whether a host is ours. */
interface Asker {
  address: string;
  isAddressSure: boolean;
}

/**
 * Tells a proxy that wants a certificate for a host whether we serve the host. Anyone can find that out with a TLS
 * handshake, so anyone may ask, but only the proxy may ask often.
 */
export function createTlsQuestions(context: DomainsContext): (domain: string, by: Asker) => Promise<boolean> {
  const isProxy = blockMatcher([...LOOPBACK, ...context.trustedProxies]);
  return async (domain, { address, isAddressSure }) => {
    if (!isAddressSure || !isProxy(address)) await context.tlsQuestions.take(limitKey(address));
    return isOurs(context, domain.toLowerCase());
  };
}

async function isOurs({ db, hosts, table, hasFunction }: DomainsContext, host: string): Promise<boolean> {
  if (host === new URL(hosts.baseUrl).hostname) return true;
  const pageId = idIn(host, 'p', hosts.pagesHost);
  if (pageId !== undefined) return (await findPage(db, pageId)) !== undefined;
  const functionId = idIn(host, 'f', hosts.functionsHost);
  if (functionId !== undefined) return hasFunction(functionId);
  const read = readDomain(host);
  return 'domain' in read && read.domain === host && (await table.find(host)) !== undefined;
}

/** The id in the name of a page's or function's own host. */
function idIn(host: string, letter: 'p' | 'f', parent: string | undefined): number | undefined {
  const end = `.${stripPort(parent)}`;
  if (parent === undefined || !host.endsWith(end)) return undefined;
  const digits = new RegExp(`^${letter}([1-9]\\d{0,14})$`).exec(host.slice(0, -end.length))?.[1];
  return digits === undefined ? undefined : Number(digits);
}
