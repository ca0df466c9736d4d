import type { Access } from '../../../contract/access-kinds.ts';
import type { CookieJar } from './access/cookies.ts';
import { type Actor, admit, type Credentials, type Identities, isFromBaseOrigin } from './access/gate.ts';
import { isNavigation } from './access/navigation.ts';

export const LOGIN_COOKIE = 'quire_session';
export const PAGE_COOKIE = 'quire_page';
const PAGE_SESSION_HEADER = 'x-page-session';
const PASS_HEADER = 'x-page-pass';

/** The cookie with the pass of a page. At the base, a browser can have those of several pages. */
export const passCookie = (pageId: number) => `quire_pass_${pageId}`;

/** The server that a request came to, as far as WebSockets need it. */
export interface SocketServer {
  upgrade(request: Request, options: { data: never; headers: Record<string, string> }): boolean;
  publish(topic: string, data: string | Bun.BufferSource): number;
  /** Null once the response is sent or the connection is closed, and for connections inside this machine. */
  requestIP(request: Request): unknown;
}

/** A host that belongs to one page. */
export interface PageHost {
  pageId: number;
  origin: string;
  /** Set if the host is one of the page's domains. */
  domain?: string;
}

/** What is known of a request before it is routed. */
export interface Visit {
  requestId: string;
  /** Set if the response has the request's id already. The front door adds it to all others. */
  isIdSent?: boolean;
  /** When the request came, by `performance.now()`. */
  startedAt?: number;
  /** The visitor's address. Bun asks the system for it, so read it only if you need it. */
  address: string;
  /** False if an untrusted proxy supplied the address, which may then be anyone's. */
  isAddressSure?: boolean;
  /** Set on a published page's own host, which serves only that page's visitors. */
  pageHost?: PageHost | undefined;
  /** Set on calls inside this process that the server makes for somebody: credentials are not looked at. */
  as?: Caller | undefined;
  /** The server that can answer with a WebSocket. Undefined for calls inside this process. */
  socketServer?: SocketServer | undefined;
  /** The visitor for whom the MCP server of a page makes a call. Only calls inside this process have one. */
  visitor?: PageVisitor | undefined;
}

/** A visitor of a page, who may be a guest. */
export interface PageVisitor extends Caller {
  pageId: number;
}

/** Identifies the sender of a request that no route handles, such as a visitor of a published page. */
export function createWhoIs(options: { baseUrl: string; cookies: CookieJar; identities: Identities }) {
  return (access: Access, request: Request, visit: Visit, pageId?: number): Promise<Actor | undefined> =>
    admit(access, readCredentials(request, visit, options.cookies), {
      identities: options.identities,
      ownOrigin: options.baseUrl,
      pageId: async () => pageId,
    });
}

export type WhoIs = ReturnType<typeof createWhoIs>;

/** Who asks for something: a person if it is known who, and the passes that they have for pages. */
export interface Caller {
  actor: Actor | undefined;
  /** The pass for a page, as it was sent: a claim that the page's password was given. */
  passFor?(pageId: number): string | undefined;
  /** For a function: how many deliveries of changes led to the request, one after the other. */
  round?: number;
}

/**
 * Finds the pass for a page. Programs, and pages that have no cookies, send it in a header. A cookie counts under the same
 * conditions as the page session.
 */
export function createPassFor(
  request: Request,
  { pageHost }: Pick<Visit, 'pageHost'>,
  options: { baseUrl: string; cookies: CookieJar },
): (pageId: number) => string | undefined {
  return (pageId) => {
    const sent = request.headers.get(PASS_HEADER);
    if (sent !== null) return sent;
    if (pageHost && pageHost.pageId !== pageId) return undefined;
    const counts = cookiesCount(request, pageHost?.origin ?? options.baseUrl);
    return counts ? options.cookies.read(request, passCookie(pageId)) : undefined;
  };
}

/**
 * Whether the cookies of a page count. To a browser, other pages' hosts are the same site, so it also sends them from
 * there. They count only from our own origin, or if the browser says that a person opens the page in a tab, for example a
 * draft from the dashboard. Without its word, a tab and a frame look the same.
 */
function cookiesCount(request: Request, origin: string): boolean {
  const { method, headers } = request;
  const opensTab = method === 'GET' && isNavigation(headers) && headers.get('sec-fetch-dest') === 'document';
  return opensTab || isFromOrigin(request, origin);
}

/** Whether the request comes from a page of this origin, or not from a browser. */
export function isFromOrigin({ headers }: Request, origin: string): boolean {
  const seen = { origin: headers.get('origin'), secFetchSite: headers.get('sec-fetch-site') };
  return isFromBaseOrigin(seen, origin);
}

/** The bearer token of a request, if it has one. */
export function readBearer(request: Request): string | undefined {
  const shown = request.headers.get('authorization');
  return shown === null ? undefined : /^Bearer +(\S+)$/i.exec(shown)?.[1];
}

/** The page session of a request, if it has one that counts here. */
export function readPageSession(
  request: Request,
  { pageHost }: Pick<Visit, 'pageHost'>,
  cookies: CookieJar,
): string | undefined {
  if (!pageHost) return request.headers.get(PAGE_SESSION_HEADER) ?? undefined;
  return cookiesCount(request, pageHost.origin) ? cookies.read(request, PAGE_COOKIE) : undefined;
}

/** All credentials in a request. */
export function readCredentials(request: Request, visit: Visit, cookies: CookieJar): Credentials {
  const { headers } = request;
  const seen = {
    origin: headers.get('origin'),
    secFetchSite: headers.get('sec-fetch-site'),
    isNavigation: isNavigation(headers),
  };
  const bearer = readBearer(request);
  const pageSession = readPageSession(request, visit, cookies);
  if (visit.pageHost) return { ...seen, bearer, pageSession };
  return { ...seen, bearer, loginCookie: cookies.read(request, LOGIN_COOKIE), pageSession };
}
