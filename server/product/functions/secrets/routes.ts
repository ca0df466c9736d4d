import {
  SECRET_BODY_LIMIT,
  SecretBody,
  SecretList,
  secretParams,
  slugParams,
} from '../../../../contract/functions/functions.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { createOwn, READ, WRITE } from '../access.ts';
import { removeSecret, type SecretsContext, setSecret } from './change.ts';
import { listSecretSizes } from './store.ts';

/** Secrets: strings that a function has in `env`, and that nobody can read back. */
export function secretRoutes(context: SecretsContext): Route[] {
  const own = createOwn(context.db);
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
        return { secrets: (await listSecretSizes(context.db, id)).map(({ name }) => ({ name })) };
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
      handle: ({ params: { slug, name }, body, actor }) =>
        setSecret(context, signedIn(actor), slug, { name, value: body.value }),
    }),
    route({
      method: 'DELETE',
      path: '/api/functions/:slug/secrets/:name',
      operationId: 'deleteSecret',
      access: WRITE,
      summary: 'Remove a secret',
      params: secretParams,
      status: 204,
      handle: ({ params: { slug, name }, actor }) => removeSecret(context, signedIn(actor), slug, name),
    }),
  ];
}
