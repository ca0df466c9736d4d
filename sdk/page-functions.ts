import { CALL_TICKET_PARAM } from '../contract/functions/call-tickets.ts';
import { failure, requestJson } from './api.ts';
import { originalFetch } from './page-session.ts';
import type { Self } from './self.ts';

/** A ticket that expires within this time is not used. */
const SPARE_SECONDS = 15;

interface Address {
  url: string;
  ticket: string | null;
  expiresIn: number;
}

/** `fetch` sends the page session to the host of the page. */
export function createPageFunctions(self: Self, fetch: typeof originalFetch): Quire.PageFunctions {
  const { findAddress, addressFor } = createAddresses(self);
  // In trusted isolation there is no page session, only the login of the service itself.
  const isTrusted = self.functions.startsWith(`${self.base}/`) && window.origin !== 'null';

  async function call(slug: string, params: unknown = {}): Promise<unknown> {
    const address = `${self.functions}${encodeURIComponent(slug)}`;
    // Every function gets a ticket: the function itself says whether it needs to know the visitor.
    const { ticket } = isTrusted ? await findAddress(slug).catch(() => NOBODY) : NOBODY;
    const response = await fetch(withTicket(address, ticket), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      credentials: isTrusted ? 'omit' : 'same-origin',
    });
    try {
      return (await response.json()) as unknown;
    } catch {
      throw new Error(`The function ${slug} did not return JSON (status ${response.status}).`);
    }
  }

  return {
    call,
    async fetch(slug, path, init) {
      const { url, isApi } = await addressFor(slug, path);
      if (isApi && init?.method?.toUpperCase() !== 'POST') throw noFunctionsHost('with POST');
      return originalFetch(url, { ...init, credentials: 'omit' });
    },
    async socket(slug, path, protocols) {
      const { url } = await addressFor(slug, path);
      return new WebSocket(url.replace(/^http/, 'ws'), protocols);
    },
    unfurl: (url) => call('unfurl-url', { url }),
  };
}

const NOBODY = { ticket: null };

/** Where functions are, with a ticket that tells them who the visitor is. */
function createAddresses(self: Self) {
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

function withTicket(url: string, ticket: string | null): string {
  return ticket === null ? url : `${url}${url.includes('?') ? '&' : '?'}${CALL_TICKET_PARAM}=${ticket}`;
}

function noFunctionsHost(how: string): Quire.Failure {
  const message = `This service has no functions host, so a function can only be called ${how}.`;
  return failure(message, { status: 0, code: 'NO_FUNCTIONS_HOST' });
}
