import type { Resealed, ServiceKey } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { createFunctionSealer, secretContext } from './secrets.ts';
import { listSealedOtherwise, replaceSealed, type SealedSecret } from './store.ts';

/** Short transactions, so that nobody waits for long. */
const AT_ONCE = 50;

/** Encrypts the secrets of all functions with the newest key, some at a time. `lost` names those whose key nobody gave. */
export async function resealSecrets(db: Db, key: ServiceKey): Promise<Resealed> {
  const sealer = createFunctionSealer(key);
  const result: Resealed = { moved: 0, lost: [] };
  let after: SealedSecret | undefined;
  for (;;) {
    const rows = await listSealedOtherwise(db, key.newest.id, { after, limit: AT_ONCE });
    if (rows.length === 0) return result;
    await db.transaction().execute(async (tx) => {
      for (const row of rows) {
        const sealed = sealer.reseal(row.sealed_value, secretContext(row.function_id, row.name));
        if (sealed === 'lost') result.lost.push(`${row.name} of the function ${row.slug}`);
        // Somebody may have set it meanwhile. The next round finds it again if that was with the old key.
        else if (await replaceSealed(tx, row, sealed)) result.moved++;
      }
    });
    after = rows.at(-1);
  }
}
