import { notFound } from '../../../lib/errors.ts';
import { type Actor, type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../accounts/index.ts';
import { createOwn, READ, requireOwner, WRITE } from '../access.ts';
import { type Registry, secretContext } from '../registry.ts';
import {
  assertSecretName,
  assertSecretSize,
  assertSecretsFit,
  SECRET_BODY_LIMIT,
  SecretBody,
  SecretList,
  secretParams,
  slugParams,
} from '../schema.ts';
import { lockFunction, updateFunction } from '../store.ts';
import type { Sealer } from './secrets.ts';
import { deleteSecret, listSecretSizes, saveSecret } from './store.ts';

/** Secrets: strings that a function has in `env`, and that nobody can read back. */
export function secretRoutes({
  db,
  sealer,
  registry,
  chargeUsage,
}: {
  db: Db;
  sealer: Sealer;
  registry: Registry;
  chargeUsage: ChargeUsage;
}): Route[] {
  const own = createOwn(db);

  /** Changes a secret, charges for it, and lets the next call start with it. `work` returns the bytes it has added. */
  async function change(
    slug: string,
    actor: Actor,
    work: (tx: Tx, id: number) => Promise<number>,
  ): Promise<void> {
    const { id } = await own(slug, actor);
    await db.transaction().execute(async (tx) => {
      const row = requireOwner(await lockFunction(tx, slug), actor);
      await chargeUsage(tx, actor.userId, { bytes: await work(tx, row.id) });
      await updateFunction(tx, row.id, { secrets_revision: row.secrets_revision + 1 });
    });
    registry.drop(id);
  }

  return [
    route({
      method: 'GET',
      path: '/api/functions/:slug/secrets',
      operationId: 'listSecrets',
      access: READ,
      summary: 'List the names of secrets',
      params: slugParams,
      response: SecretList,
      async handle({ params, actor }) {
        const { id } = await own(params.slug, actor);
        return { secrets: (await listSecretSizes(db, id)).map(({ name }) => ({ name })) };
      },
    }),
    route({
      method: 'PUT',
      path: '/api/functions/:slug/secrets/:name',
      operationId: 'setSecret',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Set a secret; the next call has it in env',
      params: secretParams,
      body: SecretBody,
      bodyLimit: SECRET_BODY_LIMIT,
      status: 204,
      async handle({ params, body, actor }) {
        const { name } = params;
        assertSecretName(name);
        assertSecretSize(body.value);
        const size = Buffer.byteLength(body.value);
        await change(params.slug, signedIn(actor), async (tx, id) => {
          const secrets = await listSecretSizes(tx, id);
          const old = secrets.find((secret) => secret.name === name);
          // Making a secret shorter is always allowed.
          const others = secrets.filter((secret) => secret !== old);
          if (!old || size > old.size) assertSecretsFit(others, size);
          await saveSecret(tx, id, name, sealer.seal(body.value, secretContext(id, name)));
          return old ? size - old.size : size + name.length;
        });
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/functions/:slug/secrets/:name',
      operationId: 'deleteSecret',
      access: WRITE,
      summary: 'Remove a secret',
      params: secretParams,
      status: 204,
      async handle({ params, actor }) {
        await change(params.slug, signedIn(actor), async (tx, id) => {
          const old = (await listSecretSizes(tx, id)).find(({ name }) => name === params.name);
          if (!old) throw notFound('This secret');
          await deleteSecret(tx, id, params.name);
          return -(old.size + old.name.length);
        });
      },
    }),
  ];
}
