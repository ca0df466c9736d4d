import type { AppScope } from '../../../contract/scopes.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/storage/index.ts';

/** The parts of other slices that OAuth uses. */

interface TokenPair {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  scopes: readonly string[];
}

/** The logins of connected apps. The accounts slice implements it. */
export interface ClientLogins {
  readonly seconds: number;
  isBlocked(tx: Tx, userId: number): Promise<boolean>;
  open(
    tx: Tx,
    login: {
      id: number;
      userId: number;
      scopes: readonly string[];
      pageId: number | undefined;
      isForBranches: boolean;
    },
  ): Promise<TokenPair>;
  find(token: string): Promise<number | undefined>;
  refresh(
    refreshToken: string,
    options: { accessScopes?: readonly string[] | undefined; keep(tx: Tx): Promise<boolean> },
  ): Promise<TokenPair | 'unknown' | 'used before'>;
  end(tx: Tx, id: number): Promise<void>;
  lockSession(tx: Tx, sessionId: number): Promise<boolean>;
}

/** Called in the transaction that connects an app. */
export type OnConnected = (tx: Tx, userId: number, app: { name: string; scopes: string[] }) => Promise<void>;

/** A page that is a resource of its own. */
export interface ResourcePage {
  id: number;
  name: string;
  slug: string;
}

/** A page to ask somebody about. */
interface IntroducedPage extends ResourcePage {
  /** The scopes that an app of its visitors can use. */
  scopes: readonly AppScope[];
}

/** The pages, as far as a person can see them. The pages slice implements it. */
export interface ResourcePages {
  /** A page to ask somebody about; undefined if it does not exist for them. Its name may be hidden. */
  introduce(idOrSlug: string, actor: Actor | undefined): Promise<IntroducedPage | undefined>;
  describe(ids: number[], actor: Actor): Promise<Map<number, ResourcePage>>;
  /** The id of the page that has a domain. */
  ofDomain(domain: string): Promise<number | undefined>;
}

/** The request that a person is asked to allow. */
export interface AccessRequest {
  clientId: string;
  /** What the app calls itself. */
  name: string;
  /** The origin of the app. */
  origin: string;
  /** True if the app is published at `origin`, so that nobody else can use the name of that origin. */
  isVerified: boolean;
  resource: string;
  page: ResourcePage | undefined;
  scopes: readonly AppScope[];
}
