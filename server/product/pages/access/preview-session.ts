import { type PreviewedAs, type PreviewSession, VISITOR } from '../../../../contract/pages/previews.ts';
import { ROLES, type Role } from '../../../../contract/roles.ts';
import { ACCOUNT_SCOPE } from '../../../../contract/scopes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../model/directory.ts';
import type { PageSessions } from './page-sessions.ts';

export interface PreviewSessionContext {
  db: Db;
  directory: PageDirectory;
  pageSessions: PageSessions;
}

/** A page session for the preview of a page: the caller as its visitor, with their own role or a lower one. */
export async function makePreviewSession(
  { db, directory, pageSessions }: PreviewSessionContext,
  pageId: number,
  actor: Actor,
  as: PreviewedAs,
): Promise<PreviewSession> {
  const page = await directory.require(db, await directory.find(db, String(pageId)), actor, 'write');
  const role = await directory.resolveRole(db, page, actor);
  if (as !== VISITOR && isAbove(as, role))
    throw new AppError(
      'FORBIDDEN',
      'You are not the {as} of this page. Choose your own role or a lower one.',
      { as },
    );
  // The session can do everything that the person can do as a visitor. A token with few scopes must not get it.
  const made = actor.scopes.includes(ACCOUNT_SCOPE) && pageSessions.makeForPreview(actor, page.id, as);
  if (!made)
    throw new AppError(
      'FORBIDDEN',
      'Only the dashboard of somebody who is logged in can do that. Log in there.',
    );
  return { ...made, as };
}

const isAbove = (role: Role, held: Role | undefined) =>
  held === undefined || ROLES.indexOf(role) < ROLES.indexOf(held);
