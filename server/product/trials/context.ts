import type { RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import type { ServiceKey } from '../../lib/secrets.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor, CookieJar, Handler, Log, OwnCaller } from '../../platform/http/index.ts';
import type { OffersBuilder, TemplateShelf } from '../../sites/templates/index.ts';
import type { PageFromTemplate } from '../ports.ts';

/** The API of this service, which is known only when all routes are. */
export interface Service {
  call: Handler;
}

export interface TrialsContext {
  baseUrl: string;
  key: ServiceKey;
  now: () => number;
  log: Log;
  limits: Limits;
  cookies: CookieJar;
  templates(): TemplateShelf;
  registration(): Promise<RegistrationMode>;
  offersBuilder: OffersBuilder;
  /** The account that owns trials. Its quota is the limit of the whole server. */
  findOwner(): Promise<number>;
  /** The account that owns trials; undefined if there has been no trial yet. */
  peekOwner(): Promise<number | undefined>;
  /** A bearer token of a user for a few minutes, to call the API on their behalf. */
  makeToken(user: Pick<Actor, 'userId' | 'sessionId' | 'isAdmin'>): Promise<string>;
  /** Remembers which page a request has made. Returns false if it has made another one. */
  insertRequest(pageId: number, digest: string): Promise<boolean>;
  /** The page that a request has made. */
  findRequested(digest: string): Promise<number | undefined>;
  makeSession(userId: number, pageId: number, endsAt: number): string;
  publishTemplate(
    caller: OwnCaller,
    client: AbortSignal,
    page: PageFromTemplate,
  ): Promise<{ page: { id: number; slug: string } }>;
  /** Sends a page at the base, in a sandbox, with a page session in it. */
  sendWithSession(pageId: number, pageSession: string, request: Request): Promise<Response>;
}

/** Who wants to try something, and from where. */
export interface Visitor {
  request: Request;
  actor: Actor | undefined;
  address: string;
  requestId: string;
}
