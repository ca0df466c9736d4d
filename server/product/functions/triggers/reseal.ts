import type { Resealed, ServiceKey } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { resealSecrets } from '../secrets/reseal.ts';
import { createFunctionSealer } from '../secrets/secrets.ts';
import { triggerContext } from './change.ts';
import { listSealedOtherwise, replaceSealed } from './store.ts';

/** Short transactions, so that nobody waits for long. */
const AT_ONCE = 50;

/** Encrypts what functions keep with the newest key: their secrets, and those of their triggers. */
export async function resealFunctions(db: Db, key: ServiceKey): Promise<Resealed> {
  const result = await resealSecrets(db, key);
  const sealer = createFunctionSealer(key);
  for (let after = 0; ; ) {
    const rows = await listSealedOtherwise(db, key.newest.id, { after, limit: AT_ONCE });
    if (rows.length === 0) return result;
    await db.transaction().execute(async (tx) => {
      for (const row of rows) {
        const sealed = sealer.reseal(row.sealed_secret, triggerContext(row.function_id));
        if (sealed === 'lost')
          result.lost.push(`the trigger for ${row.collection} of the function ${row.slug}`);
        else if (await replaceSealed(tx, row, sealed)) result.moved++;
      }
    });
    after = rows.at(-1)?.id ?? after;
  }
}
