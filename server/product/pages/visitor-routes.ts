import { idOrSlugParams } from '../../../contract/fields.ts';
import { RenewedSession, Visitor } from '../../../contract/pages/pages.ts';
import { notFound } from '../../lib/errors.ts';
import { PAGE_COOKIE, type Route, route, signedIn } from '../../platform/http/index.ts';
import type { PagesContext } from './context.ts';

/** What the script of a page can ask about its visitor. */
export function visitorRoutes(context: PagesContext): Route[] {
  const { db, directory, pageSessions } = context;
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/visitor',
      operationId: 'getVisitor',
      access: { kind: 'visitor or guest' },
      summary: "Who looks at the page, and what they are on its team; null when the visitor isn't logged in",
      params: idOrSlugParams,
      response: Visitor,
      async handle({ params, actor, caller }) {
        const page = await directory.see(db, await directory.find(db, params.id), caller);
        const role = await directory.roleOf(db, page, actor);
        const access = await context.dataAccessOf(page, actor?.userId, role);
        return {
          user: actor ? { id: actor.userId, username: actor.username } : null,
          role: role ?? null,
          ...(access && { access }),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/page-session',
      operationId: 'renewPageSession',
      access: { kind: 'visitor' },
      summary: "Renew a visitor's page session while the login lives",
      params: idOrSlugParams,
      response: RenewedSession,
      async handle({ params, actor, caller, isOnPageHost }) {
        const page = await directory.see(db, await directory.find(db, params.id), caller);
        const user = signedIn(actor);
        const pageSession = user.via === 'page session' ? pageSessions.make(user, page.id) : undefined;
        if (!pageSession) throw notFound('A page session to renew');
        const expiresIn = pageSessions.seconds;
        // If the browser has it in a cookie, no script can read it.
        if (!isOnPageHost) return { pageSession, expiresIn };
        const cookie = context.cookies.set(PAGE_COOKIE, pageSession, pageSessions.seconds);
        return Response.json(
          { expiresIn },
          { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } },
        );
      },
    }),
  ];
}
