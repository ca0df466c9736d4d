import type { Self } from './self.ts';

const RENEW_EVERY_MS = 60 * 60 * 1000;

/** A copy of the browser's own fetch, taken before anybody can replace it. */
export const originalFetch = window.fetch.bind(window);

/**
 * Keeps the visitor's page session alive and, where the page has no cookies (sandbox isolation), shows it on calls
 * to this page's own endpoints, so that an author's `fetch(…, { credentials: 'include' })` works everywhere alike.
 */
export function startPageSession(self: Self): void {
  let session = self.pageSession;
  const hasOwnOrigin = window.origin !== 'null';

  if (!hasOwnOrigin) {
    // Async, so that a bad argument rejects as with the real one, and does not throw.
    window.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!isOwnCall(request.url)) return originalFetch(request);
      const headers = new Headers(request.headers);
      if (session) headers.set('x-page-session', session);
      return originalFetch(new Request(request, { headers, credentials: 'omit' }));
    };
  }
  if (!hasOwnOrigin && !session) return;
  setInterval(renew, RENEW_EVERY_MS);

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
      if (response.ok && body.pageSession) session = body.pageSession;
    } catch {
      // Offline, or the login has ended: the next call will say so to whoever makes it.
    }
  }
}
