import { domainOrigin, pageUrl } from '../../../../contract/pages/pages.ts';
import { isNavigation } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { Visit } from '../../../runtime/browser/index.ts';

interface Options {
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  serving: {
    sendUncounted(pageId: number, request: Request, where: 'base' | 'own host'): Promise<Response>;
  };
}

/** The URL where a stranger sees a page. Opening it does not count as a view. */
export function chooseOpening(
  { baseUrl, isolation, pagesHost, serving }: Options,
  page: PageRow,
): Pick<Visit, 'url' | 'domain' | 'intercept'> {
  const own = isolation === 'origin' ? `${new URL(baseUrl).protocol}//p${page.id}.${pagesHost}` : undefined;
  const host = page.domain === null ? own : domainOrigin(baseUrl, page.domain);
  const url = host === undefined ? pageUrl(baseUrl, page.slug) : `${host}/`;
  const where = host === undefined ? 'base' : 'own host';
  return {
    url,
    ...(page.domain !== null && { domain: page.domain }),
    intercept: (request) =>
      request.method === 'GET' && isNavigation(request.headers) && isSame(request.url, url)
        ? serving.sendUncounted(page.id, request, where)
        : undefined,
  };
}

/** Whether two URLs are the same, with or without the slash that a page with files needs. */
function isSame(asked: string, url: string): boolean {
  const { pathname } = new URL(asked);
  return pathname.replace(/\/$/, '') === new URL(url).pathname.replace(/\/$/, '');
}
