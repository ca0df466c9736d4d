import { Instance, logoParams, PatchInstance } from '../../../../contract/admin/instance.ts';
import { Done } from '../../../../contract/fields.ts';
import { LOGO_TYPES, MAX_LOGO_BYTES } from '../../../../contract/rules/limits.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Route, readBody, route } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { type Doer, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';
import { hostFileRoutes } from './host-files.ts';
import { toLogo } from './logo.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

/** How this server presents itself: everyone sees it, administrators change it. */
export function instanceRoutes(context: AdminContext): Route[] {
  const { instance } = context;
  return [
    route({
      method: 'GET',
      path: '/api/instance',
      operationId: 'getInstance',
      access: { kind: 'public' },
      summary: 'The name, colour, logo and text of this server',
      response: Instance,
      handle: () => instance.current,
    }),
    route({
      method: 'PATCH',
      path: '/api/admin/instance',
      operationId: 'updateInstance',
      access,
      summary: 'Change the name, colour and text of this server, at once and on all nodes',
      body: PatchInstance,
      response: Instance,
      async handle({ body, actor, address }) {
        const fields = Object.keys(body);
        await change(context, { actor, address }, { fields }, (tx) => instance.save(tx, body));
        return instance.current;
      },
    }),
    ...logoRoutes(context),
    ...hostFileRoutes(context),
  ];
}

function logoRoutes(context: AdminContext): Route[] {
  const { instance } = context;
  return [
    route({
      method: 'PUT',
      path: '/api/admin/instance/logo',
      operationId: 'setLogo',
      failures: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
      access,
      summary: 'Set the logo of this server: PNG, JPEG or WebP, at most 256 KB',
      bodyType: LOGO_TYPES[0],
      bodyTypesToo: LOGO_TYPES.slice(1),
      readsBody: true,
      response: Instance,
      async handle({ request, actor, address }) {
        const png = await toLogo(await readBody(request, MAX_LOGO_BYTES, address));
        const details = { fields: ['logo'] };
        await change(context, { actor, address }, details, (tx) => instance.saveLogo(tx, png));
        return instance.current;
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/admin/instance/logo',
      operationId: 'removeLogo',
      access,
      summary: 'Remove the logo of this server',
      response: Done,
      async handle({ actor, address }) {
        const details = { fields: ['logo'] };
        await change(context, { actor, address }, details, (tx) => instance.saveLogo(tx, undefined));
        return { success: true, message: 'The logo is removed.' };
      },
    }),
    route({
      method: 'GET',
      path: '/assets/instance/:file',
      access: { kind: 'public' },
      summary: 'The logo of this server',
      params: logoParams,
      handle({ params }) {
        const { logo } = instance;
        if (logo?.path !== `/assets/instance/${params.file}`) throw notFound('This file');
        return new Response(logo.png, {
          headers: {
            'content-type': 'image/png',
            'cache-control': 'public, max-age=31536000, immutable',
            'x-content-type-options': 'nosniff',
            // Screens on the hosts of pages show it too.
            'cross-origin-resource-policy': 'cross-origin',
          },
        });
      },
    }),
  ];
}

async function change(
  context: AdminContext,
  doer: Doer,
  details: { fields: string[] },
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    await work(tx);
    await record(context, tx, doer, {
      action: 'instance.change',
      target: { kind: 'service', id: null, name: 'instance' },
      details,
    });
  });
  await context.instance.announce();
}
