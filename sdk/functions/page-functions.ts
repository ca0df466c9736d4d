import { fromBranch } from '../branch.ts';
import { startLive } from '../live-queries/load.ts';
import { originalFetch } from '../page-session.ts';
import type { Self } from '../self.ts';
import { createAddresses, noFunctionsHost, withTicket } from './addresses.ts';

/** `fetch` sends the page session to the host of the page. */
export function createPageFunctions(self: Self, fetch: typeof originalFetch): Quire.PageFunctions {
  const { findAddress, addressFor } = createAddresses(self);
  // In trusted isolation there is no page session, only the login of the service itself.
  const isTrusted = self.functions.startsWith(`${self.base}/`) && window.origin !== 'null';

  async function call(slug: string, params: unknown = {}): Promise<unknown> {
    const address = fromBranch(self, `${self.functions}${encodeURIComponent(slug)}`);
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
    live: (slug, body, callback, onEnd) =>
      startLive(self, ({ followCall }) => followCall(self, { function: slug, body }, callback, onEnd)),
    unfurl: (url) => call('unfurl-url', { url }),
  };
}

const NOBODY = { ticket: null };
