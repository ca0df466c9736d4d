import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { createFunctionSealer, secretContext } from './secrets.ts';
import { listSealedOtherwise, replaceSealed, type SealedSecret } from './store.ts';

/** Short transactions, so that nobody waits for long. */
const AT_ONCE = 50;

/** Encrypts the secrets of all functions with the newest key, some at a time. `lost` have a key that nobody gave. */
export async function resealSecrets(db: Db, key: ServiceKey): Promise<{ moved: number; lost: number }> {
  const sealer = createFunctionSealer(key);
  const result = { moved: 0, lost: 0 };
  let after: SealedSecret | undefined;
  for (;;) {
    const rows = await listSealedOtherwise(db, key.newest.id, { after, limit: AT_ONCE });
    if (rows.length === 0) return result;
    await db.transaction().execute(async (tx) => {
      for (const row of rows) {
        const sealed = tryTo(() => sealer.reseal(row.sealed_value, secretContext(row.function_id, row.name)));
        if (sealed === undefined) result.lost++;
        // Somebody may have set it meanwhile. The next round finds it again if that was with the old key.
        else if (await replaceSealed(tx, row, sealed)) result.moved++;
      }
    });
    after = rows.at(-1);
  }
}

function tryTo<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
