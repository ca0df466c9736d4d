import {
  type CheckBody,
  type CheckWindow,
  type PageCheck,
  WINDOWS,
} from '../../../contract/checks/page-check.ts';
import { domainOrigin, pageUrl } from '../../../contract/pages/pages.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, isNavigation, PAGE_COOKIE } from '../../platform/http/index.ts';
import { reencode } from '../../platform/pictures/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { Visit } from '../../runtime/browser/index.ts';
import type { ChecksContext } from './context.ts';
import { keepScreenshot } from './screenshots.ts';
import { findVisitors } from './visitors.ts';

/** Opens a page or a draft of it in a browser, for one or more visitors who do something, and reports what happens. */
export async function checkPage(
  context: ChecksContext,
  actor: Actor,
  idOrSlug: string,
  body: CheckBody,
  signal: AbortSignal,
): Promise<PageCheck> {
  const { as, viewport, width, draft, path, steps } = body;
  const { db, pages, browser } = context;
  if (draft !== undefined && as !== 'nobody')
    throw new AppError('BAD_REQUEST', 'as: a draft is checked as nobody. Leave it out.');
  const action = draft === undefined ? 'own' : 'write';
  const page = await pages.require(db, await pages.find(db, idOrSlug), actor, action);
  const preview = draft === undefined ? undefined : await context.makePreviewUrl(page, draft, actor);
  const visitors = await findVisitors(context, actor, page, body);
  const opening = openAt(preview === undefined ? chooseAddress(context, page) : { site: preview }, path);
  const window = { ...WINDOWS[viewport], ...(width !== undefined && { width }) };
  await context.limit.take(String(actor.userId));
  try {
    const {
      screenshot,
      steps: done,
      ...report
    } = await browser.visit({
      ...opening,
      ...useSessions(context, page, () => visitors.admit()),
      ownerId: page.owner_id,
      steps: steps ?? [],
      window,
      signal,
    });
    const isPlain = width === undefined && path === undefined && steps === undefined;
    const kept =
      screenshot &&
      (await keep(context, page, { ...window, screenshot, viewport: isPlain ? viewport : 'other' }));
    return { screenshot: kept ?? null, ...report, ...(steps && { steps: done }) };
  } finally {
    await visitors.dismiss();
  }
}

/** The URL of the page, without a slash at its end, and its domain if it has one. */
function chooseAddress(
  { baseUrl, isolation, pagesHost }: ChecksContext,
  page: PageRow,
): Pick<Visit, 'domain'> & { site: string } {
  const domain = page.is_published === 1 ? page.domain : null;
  if (domain !== null) return { site: domainOrigin(baseUrl, domain), domain };
  if (isolation === 'origin') return { site: `${new URL(baseUrl).protocol}//p${page.id}.${pagesHost}` };
  return { site: pageUrl(baseUrl, page.slug) };
}

/** Opens the page itself, or another path of it. */
function openAt<Address extends { site: string }>(
  address: Address,
  path: string | undefined,
): Address & { url: string } {
  const site = address.site.replace(/\/$/, '');
  const isHost = new URL(site).pathname === '/';
  if (path === undefined) return { ...address, site, url: isHost ? `${site}/` : address.site };
  const url = URL.parse(path.replace(/^\/+/, ''), `${site}/`)?.href;
  if (!url?.startsWith(`${site}/`))
    throw new AppError(
      'BAD_REQUEST',
      'path: {path} is not part of the site. Use a path such as about.html.',
      {
        path,
      },
    );
  return { ...address, site, url };
}

/** How the page sessions of visitors reach the page. */
function useSessions(
  { cookies, isolation, sendWithSession }: ChecksContext,
  page: PageRow,
  admit: () => Promise<Array<string | undefined>>,
): Pick<Visit, 'admit' | 'intercept'> {
  const [name = ''] = cookies.set(PAGE_COOKIE, '', 0).split('=');
  const sessions = new Set<string>();
  return {
    async admit() {
      const admitted = await admit();
      for (const session of admitted) if (session !== undefined) sessions.add(session);
      return admitted.map((value) => (value === undefined ? {} : { cookie: { name, value } }));
    },
    // Elsewhere the host of the page reads the cookie.
    intercept(request) {
      const session = isolation === 'sandbox' ? cookies.read(request, PAGE_COOKIE) : undefined;
      const isOfPage = `${new URL(request.url).pathname}/`.startsWith(`/p/${page.slug}/`);
      return session !== undefined && sessions.has(session) && isOfPage && isNavigation(request.headers)
        ? sendWithSession(page.id, session, request)
        : undefined;
    },
  };
}

/** Encodes the picture again, because the browser has run the page and may send anything. */
async function keep(
  context: ChecksContext,
  page: PageRow,
  picture: Pick<CheckWindow, 'width' | 'height' | 'scale'> & {
    screenshot: Uint8Array;
    viewport: Parameters<typeof keepScreenshot>[1]['viewport'];
  },
): Promise<NonNullable<PageCheck['screenshot']> | undefined> {
  const { scale, screenshot, viewport } = picture;
  const [width, height] = [picture.width * scale, picture.height * scale];
  const png = await reencode(screenshot, { maxWidth: width, maxHeight: height, fit: 'cover' }).catch(
    () => undefined,
  );
  if (!png) return undefined;
  const { id, expiresAt } = await keepScreenshot(context, {
    ownerId: page.owner_id,
    pageId: page.id,
    viewport,
    png,
  });
  return {
    url: `${context.baseUrl}/screenshots/${id}.png`,
    width,
    height,
    expiresAt: toTimestamp(expiresAt),
  };
}
