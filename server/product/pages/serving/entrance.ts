import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { type Actor, type CookieJar, PAGE_COOKIE, type PageHost } from '../../../platform/http/index.ts';
import type { PageSessions } from '../access/page-sessions.ts';

/**
 * How a login at the base becomes a page session on a host of the page, which can see none of the base's cookies:
 *
 * 1. `/p/<slug>`, or a path below it, at the base redirects a logged-in user to `/~session` on the page's host,
 * 2. which gives the browser a secret and requests a ticket from `/~ticket` at the base,
 * 3. which makes one for that login, that page and that secret, and redirects back to `/~session`,
 * 4. which turns it into the page's own cookie and redirects to that path of the page.
 */
export const SESSION_PATH = '/~session';
export const TICKET_PATH = '/~ticket';

const BROWSER_COOKIE = 'quire_browser';
const BROWSER_SECONDS = 60;

interface EntranceOptions {
  baseUrl: string;
  cookies: CookieJar;
  pageSessions: PageSessions;
}

export class Entrance {
  readonly #options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  /** Step 1: where to redirect a navigation. `to` is a path on the page's host, with its query. */
  begin(host: string, to: string, isLoggedIn: boolean): Response {
    return redirect(isLoggedIn ? address(host + SESSION_PATH, { to }) : host + to);
  }

  /** Step 3, at the base: makes the ticket. */
  giveTicket(pageId: number, host: string, params: URLSearchParams, actor: Actor | undefined): Response {
    const to = pathOnly(params.get('to'));
    const browser = params.get('browser') ?? '';
    const ticket = actor && this.#options.pageSessions.makeTicket(actor, pageId, browser);
    return redirect(ticket ? address(host + SESSION_PATH, { ticket, to }) : host + to);
  }

  /** Steps 2 and 4, on the page's host: requests the ticket, and turns it into a cookie. */
  async enter(request: Request, { pageId, domain }: PageHost): Promise<Response> {
    const { baseUrl, cookies, pageSessions } = this.#options;
    const params = new URL(request.url).searchParams;
    const to = pathOnly(params.get('to'));
    const ticket = params.get('ticket');
    if (ticket === null) {
      // Tabs that open at the same time share the secret. Otherwise each would invalidate the tickets of the
      // others.
      const secret = cookies.read(request, BROWSER_COOKIE) || randomSecret();
      const asking = { page: String(pageId), browser: hashSecret(secret), to, ...(domain && { domain }) };
      return redirect(address(baseUrl + TICKET_PATH, asking), [
        cookies.set(BROWSER_COOKIE, secret, BROWSER_SECONDS),
      ]);
    }
    const secret = cookies.read(request, BROWSER_COOKIE) ?? '';
    const pageSession = await pageSessions.redeemTicket(ticket, pageId, secret);
    if (!pageSession) return redirect(to);
    return redirect(to, [cookies.set(PAGE_COOKIE, pageSession, pageSessions.seconds)]);
  }
}

/** The path and query of a target, without a host, which could lead to another site. */
function pathOnly(to: string | null): string {
  if (!to?.startsWith('/')) return '/';
  const { pathname, search } = new URL(`http://page${to}`);
  // A path that begins with two slashes would be a host.
  return pathname.startsWith('//') ? '/' : pathname + search;
}

function address(url: string, params: Record<string, string>): string {
  return `${url}?${new URLSearchParams(params)}`;
}

/**
 * Redirects a browser. URLs with tickets stay out of caches. They are never referrers: a browser that is redirected
 * sends the address of the document with the link, by which the owner of the page learns where visitors come from.
 */
export function redirect(location: string, setCookies: string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of setCookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}
