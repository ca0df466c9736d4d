import { fromBranch } from './branch.ts';
import type { Self } from './self.ts';

const RENEW_EVERY_MS = 60 * 60 * 1000;

/** The browser's own fetch, saved before a script can replace it. */
export const originalFetch: typeof fetch = window.fetch.bind(window);

/**
 * Renews the visitor's page session. Where the page has no cookies (sandbox isolation), also sends it with calls to the
 * page's own endpoints, and the pass that stands for the page's password, so that an author's
 * `fetch(…, { credentials: 'include' })` works everywhere. Returns the fetch that does so, which no script can replace.
 */
export function startPageSession(self: Self): typeof fetch {
  const hasOwnOrigin = window.origin !== 'null';
  if (hasOwnOrigin || self.pageSession) setInterval(renew, RENEW_EVERY_MS);
  if (hasOwnOrigin) return originalFetch;
  window.fetch = fetchWithSession;
  return fetchWithSession;

  // Async, so that an invalid argument rejects like in the original, and does not throw.
  async function fetchWithSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const given = new Request(input, init);
    if (!isOwnCall(given.url)) return originalFetch(given);
    const request = await nameBranch(given);
    const headers = new Headers(request.headers);
    if (self.pageSession) headers.set('x-page-session', self.pageSession);
    if (self.pagePass) headers.set('x-page-pass', self.pagePass);
    return originalFetch(new Request(request, { headers, credentials: 'omit' }));
  }

  /** A call of a function means the branch's own copy. With its body in one piece, which a browser can send by HTTP/1. */
  async function nameBranch(given: Request): Promise<Request> {
    const url = fromBranch(self, given.url);
    if (url === given.url) return given;
    const { method, headers, signal, redirect, cache } = given;
    const body = given.body && (await given.blob());
    return new Request(url, { method, headers, signal, redirect, cache, body });
  }

  function isOwnCall(url: string): boolean {
    return self.ownCalls.some((start) => url.startsWith(start));
  }

  async function renew(): Promise<void> {
    try {
      const response = await window.fetch(`${self.api}/page-session`, {
        method: 'POST',
        credentials: 'same-origin',
      });
      const body = (await response.json()) as { pageSession?: string };
      if (response.ok && body.pageSession) self.pageSession = body.pageSession;
    } catch {
      // Offline, or the login has ended. The next call of the page reports it.
    }
  }
}
