import { notFound } from '../../../lib/errors.ts';
import type { Sealer } from '../../../lib/secrets.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { createOwn, requireOwner } from '../model/access.ts';
import { assertSecretName, assertSecretSize, assertSecretsFit } from '../model/limits.ts';
import { lockFunction, updateFunction } from '../model/store.ts';
import { secretContext } from './secrets.ts';
import { deleteSecret, listSecretSizes, saveSecret } from './store.ts';

/** The dependencies of changing secrets. */
export interface SecretsContext {
  db: Db;
  sealer: Sealer;
  /** The registry that keeps functions in memory with their secrets. */
  registry: { drop(functionId: number): void };
  chargeUsage: ChargeUsage;
}

/** Sets a secret; the next call has it in `env`. */
export async function setSecret(
  context: SecretsContext,
  actor: Actor,
  slug: string,
  { name, value }: { name: string; value: string },
): Promise<void> {
  assertSecretName(name);
  assertSecretSize(value);
  const size = Buffer.byteLength(value);
  await change(context, actor, slug, async (tx, id) => {
    const secrets = await listSecretSizes(tx, id);
    const old = secrets.find((secret) => secret.name === name);
    // Making a secret shorter is always allowed.
    const others = secrets.filter((secret) => secret !== old);
    if (!old || size > old.size) assertSecretsFit(others, size);
    await saveSecret(tx, id, name, context.sealer.seal(value, secretContext(id, name)));
    return old ? size - old.size : size + name.length;
  });
}

export async function removeSecret(
  context: SecretsContext,
  actor: Actor,
  slug: string,
  name: string,
): Promise<void> {
  await change(context, actor, slug, async (tx, id) => {
    const old = (await listSecretSizes(tx, id)).find((secret) => secret.name === name);
    if (!old) throw notFound('This secret was not found.');
    await deleteSecret(tx, id, name);
    return -(old.size + old.name.length);
  });
}

/** Changes a secret, charges for it, and lets the next call start with it. `work` returns the added bytes. */
async function change(
  { db, registry, chargeUsage }: SecretsContext,
  actor: Actor,
  slug: string,
  work: (tx: Tx, id: number) => Promise<number>,
): Promise<void> {
  const { id } = await createOwn(db)(slug, actor);
  await db.transaction().execute(async (tx) => {
    const row = requireOwner(await lockFunction(tx, slug), actor);
    await chargeUsage(tx, actor.userId, { bytes: await work(tx, row.id) });
    await updateFunction(tx, row.id, { secrets_revision: row.secrets_revision + 1 });
  });
  registry.drop(id);
}
