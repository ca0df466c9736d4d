import { domainOrigin } from '../../../../contract/pages/pages.ts';
import { isNavigation } from '../../../platform/http/index.ts';
import type { DomainTable } from '../domains/table.ts';
import type { CachedPage } from './page-cache.ts';

interface AddressesOptions {
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  domains: Pick<DomainTable, 'find'>;
}

/** The hosts of a page, and which of them a browser should be on. */
export class Addresses {
  readonly #options: AddressesOptions;
  readonly #scheme: string;

  constructor(options: AddressesOptions) {
    this.#options = options;
    this.#scheme = new URL(options.baseUrl).protocol;
  }

  /**
   * The origin that a navigation to a page belongs to: in a tab its domain, in a frame only its own host. Undefined if it
   * belongs to the base.
   */
  findHome(page: Pick<CachedPage, 'id' | 'domain'>, request: Request): string | undefined {
    if (page.domain !== null && opensTab(request)) return domainOrigin(this.#options.baseUrl, page.domain);
    return this.#ownHost(page.id);
  }

  /** The origin of a page's domain, if it claims to be one, or else of its own host. */
  async findOrigin(pageId: number, domain: string | null): Promise<string | undefined> {
    if (domain === null) return this.#ownHost(pageId);
    const isOwn = (await this.#options.domains.find(domain)) === pageId;
    return isOwn ? domainOrigin(this.#options.baseUrl, domain) : undefined;
  }

  #ownHost(pageId: number): string | undefined {
    const { isolation, pagesHost } = this.#options;
    return isolation === 'origin' ? `${this.#scheme}//p${pageId}.${pagesHost}` : undefined;
  }
}

/** Whether a person opens this address in a tab: not in a frame, where browsers say so. */
export function opensTab({ headers }: Request): boolean {
  return isNavigation(headers) && (headers.get('sec-fetch-dest') ?? 'document') === 'document';
}
