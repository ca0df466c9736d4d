import type { Cells } from '../../../runtime/cells/index.ts';
import type { DeployContext } from '../deploy/context.ts';
import { removeAdmitted, removeDatabase } from '../deploy/deploy.ts';
import { findFunctionById } from '../model/store.ts';
import { allDatabasesOf, eachFunction, retireDatabases } from './store.ts';

type LeavingContext = Pick<DeployContext, 'db' | 'now' | 'registry' | 'chargeUsage'> & { cells: Cells };

/** Removes the functions of users whose account is deleted. */
export class FunctionLeaving {
  readonly #context: LeavingContext;

  constructor(context: LeavingContext) {
    this.#context = context;
  }

  /** Removes the functions of a user with their databases. False if a database could not be removed yet. */
  async removeOf(userId: number, isStopping: () => boolean): Promise<boolean> {
    const { db, cells, now } = this.#context;
    for await (const { id } of eachFunction(db, userId)) {
      if (isStopping()) return false;
      const row = await findFunctionById(db, id);
      if (row) await removeAdmitted(this.#context, row.slug, () => undefined);
    }
    await retireDatabases(db, userId, now());
    const databases = await allDatabasesOf(db, userId);
    if (databases.length > 0) await cells.databases.assertHere();
    for (const { id } of databases) {
      if (isStopping()) return false;
      await removeDatabase(this.#context, userId, id);
    }
    if ((await allDatabasesOf(db, userId)).length > 0) return false;
    await cells.databases.forgetOwner(userId);
    return true;
  }
}
