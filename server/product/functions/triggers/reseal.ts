import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { resealSecrets } from '../secrets/reseal.ts';
import { createFunctionSealer } from '../secrets/secrets.ts';
import { triggerContext } from './change.ts';
import { listSealedOtherwise, replaceSealed } from './store.ts';

/** Short transactions, so that nobody waits for long. */
const AT_ONCE = 50;

/** Encrypts what functions keep with the newest key: their secrets, and those of their triggers. */
export async function resealFunctions(db: Db, key: ServiceKey): Promise<{ moved: number; lost: number }> {
  const result = await resealSecrets(db, key);
  const sealer = createFunctionSealer(key);
  for (let after = 0; ; ) {
    const rows = await listSealedOtherwise(db, key.newest.id, { after, limit: AT_ONCE });
    if (rows.length === 0) return result;
    await db.transaction().execute(async (tx) => {
      for (const { id, function_id, sealed_secret } of rows) {
        const sealed = reseal(() => sealer.reseal(sealed_secret ?? '', triggerContext(function_id)));
        if (sealed === undefined) result.lost++;
        else if (await replaceSealed(tx, id, sealed)) result.moved++;
      }
    });
    after = rows.at(-1)?.id ?? after;
  }
}

/** Undefined for what has a key that nobody gave. */
function reseal(work: () => string | undefined): string | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
