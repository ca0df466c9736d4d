import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { createFunctionSealer, secretContext } from './secrets.ts';
import { findSomeSecret } from './store.ts';

/** Whether the secrets of functions were sealed with this key; true if there are none. */
export async function isSealedWith(db: Db, key: ServiceKey): Promise<boolean> {
  const found = await findSomeSecret(db);
  if (!found) return true;
  try {
    createFunctionSealer(key).open(found.sealed_value, secretContext(found.function_id, found.name));
    return true;
  } catch {
    return false;
  }
}
