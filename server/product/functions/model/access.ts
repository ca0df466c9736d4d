import { AppError, notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { type FunctionRow, findFunction } from './store.ts';

/** Access to functions. */

/** Fails if a token lacks a scope that is needed in addition to that of the route. */
export function requireScope({ scopes }: Actor, scope: string): void {
  if (scopes.includes(scope)) return;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    'This token lacks the scope {scope}, which this also needs. Ask for it when you get the token.',
    { scope },
    {
      body: { scope },
    },
  );
}

/** Finds functions for their owners only. */
export function createOwn(db: Db) {
  return async (slug: string, actor: Actor): Promise<FunctionRow> =>
    requireOwner(await findFunction(db, slug), actor);
}

/** Finds a function for its owner. A private function of someone else does not exist for them. */
export function requireOwner<Row extends { owner_id: number | null; is_public: number }>(
  row: Row | undefined,
  actor: Actor,
): Row {
  const isOwner = row !== undefined && row.owner_id === actor.userId;
  if (!row || (row.is_public !== 1 && !isOwner)) throw notFound('This function was not found.');
  if (!isOwner)
    throw new AppError(
      'FORBIDDEN',
      'This function belongs to someone else. Deploy one of your own with POST /api/functions.',
    );
  return row;
}
