import type { SnapshotKeeper } from '../../../runtime/databases/index.ts';
import type { DeployContext } from '../deploy/context.ts';
import { removeAdmitted } from '../deploy/deploy.ts';
import { removeDatabase } from '../deploy/remove-databases.ts';
import { findFunctionById } from '../model/store.ts';
import { eachFunction, listAllDatabases, retireDatabases } from './store.ts';

interface LeavingContext
  extends Pick<DeployContext, 'db' | 'now' | 'registry' | 'chargeUsage' | 'databases'> {
  snapshots: Pick<SnapshotKeeper, 'forgetOwner'>;
}

/** Removes the functions of users whose account is deleted. */
export class FunctionLeaving {
  readonly #context: LeavingContext;

  constructor(context: LeavingContext) {
    this.#context = context;
  }

  /** Removes the functions of a user with their databases. False if a database could not be removed yet. */
  async removeUserData(userId: number, isStopping: () => boolean): Promise<boolean> {
    const { db, databases, now } = this.#context;
    for await (const { id } of eachFunction(db, userId)) {
      if (isStopping()) return false;
      const row = await findFunctionById(db, id);
      if (row) await removeAdmitted(this.#context, row.slug, () => undefined);
    }
    await retireDatabases(db, userId, now());
    const left = await listAllDatabases(db, userId);
    if (left.length > 0) await databases.assertHere();
    for (const { id } of left) {
      if (isStopping()) return false;
      await removeDatabase(this.#context, userId, id);
    }
    if ((await listAllDatabases(db, userId)).length > 0) return false;
    await this.#context.snapshots.forgetOwner(userId);
    await databases.forgetOwner(userId);
    return true;
  }
}
