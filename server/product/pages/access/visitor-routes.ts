import type { DataAccess } from '../../../../contract/data/data-access.ts';
import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import type { Role } from '../../../../contract/roles.ts';
import { notFound } from '../../../lib/errors.ts';
import { type CookieJar, handle, PAGE_COOKIE, type Route } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { PreviewSessionContext } from './preview-session.ts';

export interface VisitorContext extends PreviewSessionContext {
  cookies: CookieJar;
  /** The access of a person to the data of a page. Undefined if the page stores no data. */
  readDataAccess(
    page: PageRow,
    userId: number | undefined,
    role: Role | undefined,
  ): Promise<DataAccess | undefined>;
}

/** Routes with which the script of a page asks about its visitor. */
export function visitorRoutes(context: VisitorContext): Route[] {
  const { db, directory, pageSessions } = context;
  return [
    handle(pageEndpoints.getVisitor, async ({ params, actor, caller }) => {
      const page = await directory.see(db, await directory.find(db, params.id), caller);
      const role = await directory.resolveRole(db, page, actor);
      const access = await context.readDataAccess(page, actor?.userId, role);
      return {
        user: actor ? { id: actor.userId, username: actor.username } : null,
        role: role ?? null,
        ...(access && { access }),
      };
    }),
    handle(pageEndpoints.renewPageSession, async ({ params, actor, caller, isOnPageHost }) => {
      const page = await directory.see(db, await directory.find(db, params.id), caller);
      const pageSession = actor.via === 'page session' ? pageSessions.make(actor, page.id) : undefined;
      if (!pageSession) throw notFound('A page session to renew was not found.');
      const expiresIn = pageSessions.seconds;
      // On the page's own host, the session is in a cookie that no script can read.
      if (!isOnPageHost) return { pageSession, expiresIn };
      const cookie = context.cookies.set(PAGE_COOKIE, pageSession, pageSessions.seconds);
      return Response.json({ expiresIn }, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } });
    }),
  ];
}
