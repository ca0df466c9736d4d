import { type CheckBody, type PageCheck, WINDOWS } from '../../../contract/checks/page-check.ts';
import { domainOrigin, pageUrl } from '../../../contract/pages/pages.ts';
import { findDataType } from '../../../contract/rules/storage-modes.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, isNavigation, PAGE_COOKIE } from '../../platform/http/index.ts';
import { reencode } from '../../platform/pictures/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { Visit } from '../../runtime/browser/index.ts';
import type { ChecksContext } from './context.ts';
import { keepScreenshot } from './screenshots.ts';

/** Opens a page or a draft of it in a browser, as its owner or as nobody, and reports what happens. */
export async function checkPage(
  context: ChecksContext,
  actor: Actor,
  idOrSlug: string,
  { as, viewport, draft }: CheckBody,
  signal: AbortSignal,
): Promise<PageCheck> {
  const { db, pages, browser } = context;
  if (draft !== undefined && as === 'owner')
    throw new AppError('BAD_REQUEST', 'as: a draft is checked as nobody. Leave it out.');
  const action = draft === undefined ? 'own' : 'write';
  const page = await pages.require(db, await pages.find(db, idOrSlug), actor, action);
  const preview = draft === undefined ? undefined : await context.makePreviewUrl(page, draft, actor);
  const pageSession = as === 'owner' ? openSession(context, actor, page) : undefined;
  await context.limit.take(String(actor.userId));
  const { screenshot, ...report } = await browser.visit({
    ...(preview === undefined ? opening(context, page, pageSession) : { url: preview }),
    ownerId: page.owner_id,
    viewport,
    signal,
  });
  const kept = screenshot && (await keep(context, page, viewport, screenshot));
  return { screenshot: kept ?? null, ...report };
}

/** Makes a page session for the check only. The browser never gets a login. */
function openSession({ isolation, makeCheckSession }: ChecksContext, actor: Actor, page: PageRow): string {
  if (isolation === 'trusted')
    throw new AppError(
      'BAD_REQUEST',
      'as: pages are not isolated on this server (QUIRE_ISOLATION=trusted), so a page cannot be checked as its owner. Use nobody.',
    );
  // The page's scripts act as the owner, and can print all data: a token must be allowed to read the same.
  const data = findDataType(page.storage_mode);
  const missing = data && [`${data}:read`, `${data}:write`].find((scope) => !actor.scopes.includes(scope));
  if (missing)
    throw new AppError(
      'INSUFFICIENT_SCOPE',
      "To check this page as its owner, a token needs the scope {missing}, because the page's scripts then use your data. Get one with that scope, or check the page as nobody.",
      { missing },
      { body: { scope: missing } },
    );
  return makeCheckSession(actor, page.id);
}

/** The URL of the page, and how the page session reaches it. */
function opening(
  { baseUrl, isolation, pagesHost, cookies, sendWithSession }: ChecksContext,
  page: PageRow,
  pageSession: string | undefined,
): Pick<Visit, 'url' | 'domain' | 'cookie' | 'intercept'> {
  const ownHost =
    isolation === 'origin' ? `${new URL(baseUrl).protocol}//p${page.id}.${pagesHost}` : undefined;
  const domain = page.is_published === 1 ? page.domain : null;
  const host = domain === null ? ownHost : domainOrigin(baseUrl, domain);
  if (host !== undefined) {
    const at = { url: `${host}/`, ...(domain !== null && { domain }) };
    if (pageSession === undefined) return at;
    const [name = ''] = cookies.set(PAGE_COOKIE, '', 0).split('=');
    return { ...at, cookie: { name, value: pageSession } };
  }
  const url = pageUrl(baseUrl, page.slug);
  if (pageSession === undefined) return { url };
  return {
    url,
    intercept: (request) =>
      `${new URL(request.url).pathname}/`.startsWith(`${new URL(url).pathname}/`) &&
      isNavigation(request.headers)
        ? sendWithSession(page.id, pageSession, request)
        : undefined,
  };
}

/** Encodes the picture again, because the browser has run the page and may send anything. */
async function keep(
  context: ChecksContext,
  page: PageRow,
  viewport: CheckBody['viewport'],
  picture: Uint8Array,
): Promise<NonNullable<PageCheck['screenshot']> | undefined> {
  const { scale, ...window } = WINDOWS[viewport];
  const [width, height] = [window.width * scale, window.height * scale];
  const png = await reencode(picture, { maxWidth: width, maxHeight: height, fit: 'cover' }).catch(
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
