import { CALL_TICKET_PARAM } from '../../contract/functions/call-tickets.ts';
import { failure, requestJson } from '../api.ts';

/** A ticket that expires within this time is not used. */
const SPARE_SECONDS = 15;

interface Address {
  url: string;
  ticket: string | null;
  expiresIn: number;
}

/** Where functions are, with a ticket that tells them who the visitor is. */
export function createAddresses(self: { api: string }) {
  const known = new Map<string, { address: Promise<Address>; until: number }>();

  function findAddress(slug: string): Promise<Address> {
    const found = known.get(slug);
    if (found && found.until > performance.now()) return found.address;
    const address = requestJson<Address>(`${self.api}/call-ticket`, 'POST', { function: slug });
    const entry = { address, until: Number.POSITIVE_INFINITY };
    known.set(slug, entry);
    address.then(
      ({ expiresIn }) => {
        entry.until = performance.now() + (expiresIn - SPARE_SECONDS) * 1000;
      },
      () => known.delete(slug),
    );
    return address;
  }

  async function addressFor(slug: string, path = '/'): Promise<{ url: string; isApi: boolean }> {
    const { url, ticket } = await findAddress(slug);
    const isApi = !url.endsWith('/');
    const target = new URL(path.replace(/^\/*/, '/'), 'http://function');
    if (isApi && target.pathname !== '/') throw noFunctionsHost('at the path /');
    const whole = isApi ? url + target.search : url.slice(0, -1) + target.pathname + target.search;
    return { url: withTicket(whole, ticket), isApi };
  }

  return { findAddress, addressFor };
}

export function withTicket(url: string, ticket: string | null): string {
  return ticket === null ? url : `${url}${url.includes('?') ? '&' : '?'}${CALL_TICKET_PARAM}=${ticket}`;
}

export function noFunctionsHost(how: string): Quire.Failure {
  const message = `This service has no functions host, so a function can only be called ${how}.`;
  return failure(message, { status: 0, code: 'NO_FUNCTIONS_HOST' });
}
