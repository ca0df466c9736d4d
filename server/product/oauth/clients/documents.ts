import { ClientMetadata, MAX_CLIENT_ID } from '../../../../contract/oauth/protocol.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { FetchExternal } from '../../../runtime/egress/index.ts';
import { OAuthError } from '../errors.ts';
import type { Client } from './client.ts';
import { readClientName, readRedirectUris } from './metadata.ts';
import { type IsServiceHost, isLocal } from './service-hosts.ts';

const MAX_BYTES = 16 * 1024;
const FETCH_MS = 5_000;
const KEEP_MS = 10 * 60_000;
/** How long a failed document is not read again. */
const KEEP_FAILURE_MS = 15_000;
const MAX_KEPT = 500;
/** Documents that are fetched at the same time, for all callers together. */
const MAX_FETCHES = 8;

interface CachedClient {
  client: Promise<Client>;
  until: number;
}

/**
 * Apps that describe themselves in a JSON document, whose URL is their client id. The document is fetched through the
 * egress, without redirects, and remembered for a few minutes.
 */
export class ClientDocuments {
  readonly #options: {
    baseUrl: string;
    fetchExternal: FetchExternal;
    isServiceHost: IsServiceHost;
    now: () => number;
  };
  readonly #perAddress: Limit;
  readonly #kept = new Map<string, CachedClient>();
  #fetches = 0;

  constructor(options: {
    baseUrl: string;
    fetchExternal: FetchExternal;
    isServiceHost: IsServiceHost;
    limits: Limits;
    now: () => number;
  }) {
    this.#options = options;
    this.#perAddress = options.limits.limit(
      'oauth-documents',
      { points: 60, seconds: 3600 },
      'Too many apps from your address. Try again {wait}.',
    );
  }

  /** Whether a client id is the URL of a document: https, in its usual form, with a path. */
  isUrl(clientId: string): boolean {
    const url = clientId.length <= MAX_CLIENT_ID && /^https?:/.test(clientId) ? URL.parse(clientId) : null;
    if (!url || url.href !== clientId || url.username || url.password || clientId.includes('#')) return false;
    if (url.pathname === '/') return false;
    return url.protocol === 'https:' || (this.#isDevelopment && isLocal(url.hostname));
  }

  /** A service on the developer's own machine also accepts apps there, if the egress reaches them. */
  get #isDevelopment(): boolean {
    const { protocol, hostname } = new URL(this.#options.baseUrl);
    return protocol === 'http:' && isLocal(hostname);
  }

  async find(url: string, address: string): Promise<Client> {
    if (await this.#options.isServiceHost(url))
      throw new OAuthError(
        'invalid_client',
        'The document of this app cannot be used: it is on this service, where anyone can publish one. Publish it on a host of the app, or register the app.',
      );
    const now = this.#options.now();
    const kept = this.#kept.get(url);
    if (kept && kept.until > now) return kept.client;
    await this.#perAddress.take(limitKey(address));
    if (this.#fetches >= MAX_FETCHES)
      throw new OAuthError(
        'temporarily_unavailable',
        'The server is busy with other apps. Try again in a moment.',
      );
    const client = this.#fetch(url);
    this.#keep(url, { client, until: now + KEEP_MS });
    client.catch(() => this.#keep(url, { client, until: now + KEEP_FAILURE_MS }));
    return client;
  }

  /** Remembers a document, and forgets the oldest ones. */
  #keep(url: string, kept: CachedClient): void {
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #fetch(url: string): Promise<Client> {
    this.#fetches++;
    try {
      const { status, contentType, bytes } = await this.#options.fetchExternal(url, {
        signal: AbortSignal.timeout(FETCH_MS),
        maxBytes: MAX_BYTES,
        accept: 'application/json',
        maxRedirects: 0,
      });
      if (status !== 200) throw new Error(`its address responds with status ${status}`);
      if (!/^application\/([\w.+-]+\+)?json\b/i.test(contentType)) throw new Error('it is not JSON');
      return toClient(url, parseJson(bytes));
    } catch (error) {
      throw error instanceof OAuthError
        ? error
        : new OAuthError(
            'invalid_client',
            `The document of this app cannot be used: ${(error as Error).message}.`,
          );
    } finally {
      this.#fetches--;
    }
  }
}

function toClient(url: string, value: unknown): Client {
  const parsed = ClientMetadata.safeParse(value);
  if (!parsed.success) throw new Error('it does not describe an app');
  const metadata = parsed.data;
  if (metadata.client_id !== url) throw new Error('its client_id is not its own address');
  if (
    metadata.token_endpoint_auth_method?.startsWith('client_secret') ||
    metadata.client_secret !== undefined
  )
    throw new Error('an app with a public document must not have a secret');
  const { host } = new URL(url);
  return {
    id: url,
    name: readClientName(metadata, host),
    redirectUris: readRedirectUris(metadata),
    publishedBy: host,
  };
}
