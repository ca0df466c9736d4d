import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import {
  type CookieJar,
  handle,
  isFromOrigin,
  passCookie,
  type Route,
  seeOther,
  withRequestLanguage,
} from '../../../platform/http/index.ts';
import { hiddenSlug } from '../model/hidden-page.ts';
import { refusalError } from '../model/page-closed.ts';
import { PASS_SECONDS } from '../model/passes.ts';
import { createCheckPassword, type PagePasswords } from './attempts.ts';
import { makePreviewSession, type PreviewSessionContext } from './preview-session.ts';
import { passwordScreen } from './screens.ts';

export interface AccessContext extends PreviewSessionContext {
  baseUrl: string;
  cookies: CookieJar;
  limits: Limits;
  passwords: PagePasswords;
}

/** Routes that give access to a page: a pass for its password, and a session for its preview. */
export function accessRoutes(context: AccessContext): Route[] {
  const { db, directory, cookies, baseUrl } = context;
  const { passes } = directory;
  const checkPassword = createCheckPassword(context);
  return [
    handle(pageEndpoints.givePagePassword, async ({ params, body, caller, address, request, pageHost }) => {
      const page = await directory.find(db, params.id);
      if (!page) throw notFound('This page was not found.');
      const refusal = await directory.refusal(db, page, caller);
      if (refusal && refusal !== 'password needed') throw refusalError(page, refusal, caller.actor);
      if (page.access_mode !== 'password')
        throw new AppError('CONFLICT', 'This page has no password. Open it without one.');
      const isForm = !/json/i.test(request.headers.get('content-type') ?? '');
      if (!isForm) {
        await checkPassword(page.id, body.password, address);
        return { pass: passes.make(page), expiresIn: PASS_SECONDS };
      }
      const origin = pageHost?.origin ?? baseUrl;
      // Other sites must not fill a browser with cookies of ours.
      if (!isFromOrigin(request, origin))
        throw new AppError('FORBIDDEN', 'This form is only accepted from {origin} itself.', { origin });
      const fallback = pageHost ? '/' : `/p/${hiddenSlug(page.id)}`;
      const next = safePath(body.next, origin) ?? fallback;
      try {
        await checkPassword(page.id, body.password, address);
      } catch (error) {
        if (error instanceof AppError)
          return withRequestLanguage(request, () => passwordScreen(page.id, { baseUrl, next }, error));
        throw error;
      }
      return seeOther(next, {
        'set-cookie': cookies.set(passCookie(page.id), passes.make(page), PASS_SECONDS),
      });
    }),
    previewRoute(context),
  ];
}

function previewRoute(context: AccessContext): Route {
  return handle(pageEndpoints.createPreviewSession, ({ params, body, actor }) =>
    makePreviewSession(context, params.id, actor, body.as),
  );
}

/** The path to go to after the form. It must not lead to another site. */
function safePath(next: string | undefined, origin: string): string | undefined {
  const target = next?.startsWith('/') ? URL.parse(next, origin) : null;
  // `/.//evil.example` has our origin, but its path alone would lead to another site.
  if (target?.origin !== origin || target.pathname.startsWith('//')) return undefined;
  return target.pathname + target.search;
}
