import type { Role } from '../../../contract/roles.ts';
import type { StorageType } from '../../../contract/rules/storage-modes.ts';
import { AppError, notFound } from '../../lib/errors.ts';

/** What can be done with records, and with the files of a team. */
export const ACTIONS = ['read', 'create', 'update', 'delete', 'define'] as const;
export type Action = (typeof ACTIONS)[number];

export type Verdict = 'allowed' | 'log in' | 'forbidden' | 'not found';

/** A user, and their role on the page's team. */
export interface DataActor {
  userId: number;
  role: Role | undefined;
}

/**
 * Who can do what with a page's data. Nothing else decides, and what is not allowed here is denied. Without a record
 * the question is about the collection: can they read it at all, add to it, or define its schema.
 */
export function may(
  actor: DataActor | undefined,
  action: Action,
  record: { createdBy: number } | undefined,
  page: { storageType: StorageType },
): Verdict {
  if (action === 'read' && page.storageType === 'social_data') return 'allowed';
  if (!actor) return 'log in';
  const isOwn = record === undefined || record.createdBy === actor.userId;
  if (action === 'define') return actor.role === 'owner' ? 'allowed' : 'forbidden';

  switch (page.storageType) {
    case 'solo_data':
      // Do not reveal that someone else has such a record.
      return isOwn ? 'allowed' : 'not found';
    case 'social_data':
      return isOwn || (action === 'delete' && actor.role === 'owner') ? 'allowed' : 'forbidden';
    case 'team_data':
      return mayOnTeam(actor.role, action, isOwn) ? 'allowed' : 'forbidden';
  }
}

function mayOnTeam(role: Role | undefined, action: Action, isOwn: boolean): boolean {
  switch (role) {
    case 'owner':
    case 'admin':
      return true;
    case 'member':
      return action === 'read' || isOwn;
    case 'viewer':
      return action === 'read';
    default:
      return false;
  }
}

/** What someone can do with a collection, as far as that does not depend on the record. */
export function actionsOf(actor: DataActor | undefined, page: { storageType: StorageType }): Set<Action> {
  return new Set(ACTIONS.filter((action) => may(actor, action, undefined, page) === 'allowed'));
}

/** Refuses what `may` does not allow. */
export function demand(verdict: Verdict, action: Action, what: 'record' | 'file'): void {
  switch (verdict) {
    case 'allowed':
      return;
    case 'log in':
      throw new AppError(
        'UNAUTHORIZED',
        'Log in first. A program sends a token: Authorization: Bearer <token>.',
      );
    case 'not found':
      throw notFound(`This ${what}`);
    case 'forbidden':
      throw new AppError('FORBIDDEN', REFUSALS[action].replace('*', what));
  }
}

/** Refuses what a user must not do with a team's files, or with one of them. */
export function demandFileAccess(
  actor: DataActor,
  action: 'read' | 'create' | 'delete',
  file?: { createdBy: number },
): void {
  demand(may(actor, action, file, { storageType: 'team_data' }), action, 'file');
}

const REFUSALS: Record<Action, string> = {
  read: 'Only the team of this page can read its *s. Ask its owner for an invite.',
  create: 'You need the role of member to add *s to this page. Ask its owner.',
  update: 'You cannot change this *: someone else created it.',
  delete: 'You cannot delete this *: someone else created it.',
  define: 'Only the owner of the page can set a schema.',
};
