import { domainOrigin } from '../../../contract/pages/pages.ts';
import { APP_SCOPES, type AppScope } from '../../../contract/scopes.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { ResourcePage, ResourcePages } from './ports.ts';

/** The resource of a token: the service as a whole, or one page. */
export interface Resource {
  uri: string;
  name: string;
  /** The scopes that the resource has. */
  scopes: readonly AppScope[];
  page?: ResourcePage;
}

/** The service under all its names. A token for one of them is good for the others: tools call the API. */
const SERVICE_PATHS = ['', '/api', '/mcp'];

/** Characters of the URI of a resource. A domain has at most 253. */
const MAX_URI = 300;

/** Finds resources by their URI, as RFC 8707 has it. */
export class Resources {
  readonly #baseUrl: string;
  readonly #pageHost: RegExp | undefined;
  readonly #pages: ResourcePages;

  constructor(options: { baseUrl: string; pagesHost: string | undefined; pages: ResourcePages }) {
    const { baseUrl, pagesHost } = options;
    this.#baseUrl = baseUrl;
    this.#pages = options.pages;
    const scheme = new URL(baseUrl).protocol;
    this.#pageHost = pagesHost
      ? new RegExp(`^${scheme}//p(\\d{1,16})\\.${pagesHost.replaceAll('.', '\\.')}/mcp$`)
      : undefined;
  }

  /** The resource; undefined if there is none, or if this person cannot see the page. */
  async find(uri: string | undefined, actor?: Actor): Promise<Resource | undefined> {
    const plain = (uri ?? this.#baseUrl).replace(/\/$/, '');
    if (SERVICE_PATHS.some((path) => plain === this.#baseUrl + path)) {
      return { uri: plain, name: 'Quire', scopes: APP_SCOPES };
    }
    const idOrSlug = this.#findPage(plain) ?? (await this.#pageOfDomain(plain));
    const page = idOrSlug === undefined ? undefined : await this.#pages.introduce(idOrSlug, actor);
    return page && { uri: plain, name: page.name, scopes: page.scopes, page };
  }

  /** The page whose MCP server has this address on one of its domains. */
  async #pageOfDomain(uri: string): Promise<string | undefined> {
    const url = uri.length <= MAX_URI && uri.endsWith('/mcp') ? URL.parse(uri) : null;
    if (!url || uri !== `${domainOrigin(this.#baseUrl, url.hostname)}/mcp`) return undefined;
    const id = await this.#pages.ofDomain(url.hostname);
    return id === undefined ? undefined : String(id);
  }

  /** The page whose MCP server has this address, at the service or on the page's own host. */
  #findPage(uri: string): string | undefined {
    const own = this.#pageHost?.exec(uri)?.[1];
    if (own !== undefined) return own;
    const start = `${this.#baseUrl}/p/`;
    return uri.startsWith(start) ? /^([^/?#]{1,100})\/mcp$/.exec(uri.slice(start.length))?.[1] : undefined;
  }
}
