import type { Actor } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { Deletion } from './codes.ts';

/** The part of accounts that account deletion uses. */
export interface LeavingAccounts {
  assertNotLastAdministrator(tx: Tx, userId: number): Promise<void>;
  setRemovalDue(
    tx: Tx,
    userId: number,
    dueAt: number,
  ): Promise<{ id: number; username: string; email: string; email_confirmed_at: number | null } | undefined>;
  keepAccount(tx: Tx, deletion: Deletion, now: number): Promise<{ username: string } | undefined>;
  findLeaving(db: Db, deletion: Deletion): Promise<{ username: string } | undefined>;
  listDueRemovals(db: Db, now: number): Promise<Array<{ id: number }>>;
  ensureRemovedUser(db: Db): Promise<void>;
  lockLeaving(
    tx: Tx,
    userId: number,
    now: number,
    isPostgres: boolean,
  ): Promise<{ username: string; email: string } | undefined>;
  deleteUser(tx: Tx, userId: number): Promise<void>;
}

/** Makes sure that the person at a session is its user. */
export type ProveItIsYou = (
  actor: Actor,
  given: { password?: string | undefined },
  address: string,
) => Promise<unknown>;

/** Removes some data of a user. Resolves to false if it could not be done yet. Can be repeated at any point. */
export type RemovalStep = (userId: number, isStopping: () => boolean) => Promise<unknown>;

/** A part of the last transaction. Resolves to false if the other steps have to be repeated. */
export type LastStep = (tx: Tx, user: { id: number; username: string; email: string }) => Promise<unknown>;
