import { ErrorBody } from '../../../../contract/error-body.ts';
import { idOrSlugParams, idParams } from '../../../../contract/fields.ts';
import { GivenPassword, Pass } from '../../../../contract/pages/access.ts';
import { PreviewSession, PreviewWish } from '../../../../contract/pages/preview-sessions.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import {
  isFromOrigin,
  passCookie,
  type Route,
  route,
  seeOther,
  signedIn,
} from '../../../platform/http/index.ts';
import { inLanguageOf } from '../../../platform/screens/index.ts';
import type { PagesContext } from '../context.ts';
import { createCheckPassword } from './attempts.ts';
import { refusalError } from './closed.ts';
import { hiddenSlug } from './hidden.ts';
import { PASS_SECONDS } from './passes.ts';
import { makePreviewSession } from './preview-session.ts';
import { passwordScreen } from './screens.ts';

type AccessContext = Pick<
  PagesContext,
  'db' | 'directory' | 'passwords' | 'cookies' | 'baseUrl' | 'limits' | 'pageSessions'
>;

/** How people see a page: a pass for its password, and a session for its preview. */
export function accessRoutes(context: AccessContext): Route[] {
  const { db, directory, cookies, baseUrl } = context;
  const { passes } = directory;
  const checkPassword = createCheckPassword(context);
  return [
    route({
      method: 'POST',
      path: '/api/pages/:id/pass',
      operationId: 'givePagePassword',
      access: { kind: 'visitor or guest' },
      summary: 'Give the password of a page, for a pass to send in the header X-Page-Pass',
      params: idOrSlugParams,
      body: GivenPassword,
      acceptsForm: true,
      failures: ['CONFLICT'],
      response: Pass,
      answers: [
        {
          status: 303,
          description: 'A browser sent a form: the pass is in a cookie.',
          headers: ['Location'],
        },
        { status: 403, description: 'The password is wrong.', schema: ErrorBody },
        { status: 403, description: 'A browser sent a form: the screen that asks again.', type: 'text/html' },
      ],
      async handle({ params, body, caller, address, request, pageHost }) {
        const page = await directory.find(db, params.id);
        if (!page) throw notFound('This page');
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
          throw new AppError('FORBIDDEN', `This form is only accepted from ${origin} itself.`);
        const fallback = pageHost ? '/' : `/p/${hiddenSlug(page.id)}`;
        const next = safePath(body.next, origin) ?? fallback;
        try {
          await checkPassword(page.id, body.password, address);
        } catch (error) {
          if (error instanceof AppError)
            return inLanguageOf(request, () => passwordScreen(page.id, { baseUrl, next }, error));
          throw error;
        }
        return seeOther(next, {
          'set-cookie': cookies.set(passCookie(page.id), passes.make(page), PASS_SECONDS),
        });
      },
    }),
    previewRoute(context),
  ];
}

function previewRoute(context: AccessContext): Route {
  return route({
    method: 'POST',
    path: '/api/pages/:id/preview-session',
    operationId: 'createPreviewSession',
    access: { kind: 'management', scope: 'pages:write' },
    summary:
      'A page session for the preview in the dashboard: you as a visitor, with your role or a lower one',
    params: idParams,
    body: PreviewWish,
    response: PreviewSession,
    handle: ({ params, body, actor }) => makePreviewSession(context, params.id, signedIn(actor), body.as),
  });
}

/** Only a path at the same place: the form must not lead to another site. */
function safePath(next: string | undefined, origin: string): string | undefined {
  const target = next?.startsWith('/') ? URL.parse(next, origin) : null;
  // `/.//evil.example` has our origin, but its path alone would lead to another site.
  if (target?.origin !== origin || target.pathname.startsWith('//')) return undefined;
  return target.pathname + target.search;
}
