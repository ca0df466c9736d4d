import { pageUrl } from '../../../../../contract/pages/pages.ts';
import { toReportPath } from '../../../../../contract/reports/limits.ts';
import { notFound } from '../../../../lib/errors.ts';
import { type Visit, withRequestLanguage } from '../../../../platform/http/index.ts';
import { type Addresses, opensTab } from '../addresses.ts';
import { redirect } from '../entrance.ts';
import { isEmpty } from '../files/below.ts';
import type { CachedPage } from '../page-cache.ts';
import { SANDBOX_POLICY } from '../sandbox-policy.ts';
import { sendPage } from '../send.ts';
import { NOBODY, type Viewers } from '../viewers.ts';
import { barScreen } from './bar.ts';

/** The path of the document of an unclaimed page, below the page and on its own host. No file can have it. */
export const FRAME_NAME = '~unclaimed';
export const FRAME_PATH = `/${FRAME_NAME}`;

export interface UnclaimedOptions {
  baseUrl: string;
  now: () => number;
  viewers: Pick<Viewers, 'refusal'>;
  addresses: Addresses;
}

/**
 * Sends pages that were published without an account and that nobody has claimed. Anyone could have made them, for
 * example to ask for passwords. So a document of the service is at the address, with a bar that says this and that the
 * page cannot hide: the page is in a frame below it, always without an origin, and nowhere else.
 */
export class UnclaimedPages {
  readonly #options: UnclaimedOptions;

  constructor(options: UnclaimedOptions) {
    this.#options = options;
  }

  /** Responds to a path below an unclaimed page. Undefined if it is claimed by now, or not shown. */
  async send(
    page: CachedPage,
    below: string | undefined,
    request: Request,
    { pageHost }: Visit,
  ): Promise<Response | undefined> {
    const { baseUrl, viewers, addresses, now } = this.#options;
    if ((await viewers.refusal(page.access, NOBODY)) !== 'unclaimed') return undefined;
    const root = pageHost ? '/' : `/p/${page.slug}`;
    const origin = pageHost?.origin ?? baseUrl;
    if (below === FRAME_NAME)
      return isFramed(request, origin) ? sendFrame(page, request, origin) : redirect(root);
    if (!isEmpty(below)) throw notFound('This file was not found.');
    const home = pageHost || !opensTab(request) ? undefined : addresses.findHome(page, request);
    if (home) return redirect(`${home}/`);
    const frame = pageHost ? FRAME_PATH : `${root}${FRAME_PATH}`;
    const leftMs = (page.access.access_expires_at ?? 0) - now();
    return withRequestLanguage(request, () =>
      barScreen({
        name: page.described.name,
        frame,
        leftMs,
        baseUrl,
        reportTo: baseUrl + toReportPath(pageUrl(baseUrl, page.slug)),
      }),
    );
  }
}

/** Whether the bar's document loads its frame. Over plain HTTP, browsers do not say what asks, so the referrer decides. */
function isFramed({ headers }: Request, origin: string): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination !== null) return destination === 'iframe';
  return headers.get('referer')?.startsWith(`${origin}/`) ?? false;
}

/** Sends the page's own document, which only the bar's document at `origin` can frame. */
function sendFrame(page: CachedPage, request: Request, origin: string): Response {
  page.isUsed = true;
  const response = sendPage(page, request, { servedFrom: 'frame', policy: SANDBOX_POLICY });
  // The response is a copy of one that all hosts of the page share.
  response.headers.set('content-security-policy', `${SANDBOX_POLICY}; frame-ancestors ${origin}`);
  response.headers.set('referrer-policy', 'no-referrer');
  response.headers.delete('link');
  return response;
}
