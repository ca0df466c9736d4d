import { functionEndpoints } from '../../../../contract/functions/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { createOwn } from '../model/access.ts';
import { removeSecret, type SecretsContext, setSecret } from './change.ts';
import { listSecretSizes } from './store.ts';

/** Secrets: strings that a function has in `env`, and that nobody can read back. */
export function secretRoutes(context: SecretsContext): Route[] {
  const own = createOwn(context.db);
  return [
    handle(functionEndpoints.listSecrets, async ({ params, actor }) => {
      const { id } = await own(params.slug, actor);
      return { secrets: (await listSecretSizes(context.db, id)).map(({ name }) => ({ name })) };
    }),
    handle(functionEndpoints.setSecret, ({ params: { slug, name }, body, actor }) =>
      setSecret(context, actor, slug, { name, value: body.value }),
    ),
    handle(functionEndpoints.deleteSecret, ({ params: { slug, name }, actor }) =>
      removeSecret(context, actor, slug, name),
    ),
  ];
}
