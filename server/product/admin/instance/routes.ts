import { logoParams } from '../../../../contract/admin/instance.ts';
import { instanceEndpoints } from '../../../../contract/admin/instance-endpoints.ts';
import { done } from '../../../../contract/fields.ts';
import { MAX_LOGO_BYTES } from '../../../../contract/rules/limits.ts';
import { notFound } from '../../../lib/errors.ts';
import { handle, type Route, readBody, route } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { type AuditActor, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';
import { hostFileRoutes } from './host-files.ts';
import { toLogo } from './logo.ts';

/** How this server presents itself: everyone sees it, administrators change it. */
export function instanceRoutes(context: AdminContext): Route[] {
  const { instance } = context;
  return [
    handle(instanceEndpoints.getInstance, () => instance.current),
    handle(instanceEndpoints.updateInstance, async ({ body, actor, address }) => {
      const fields = Object.keys(body);
      await change(context, { actor, address }, { fields }, (tx) => instance.save(tx, body));
      return instance.current;
    }),
    ...logoRoutes(context),
    ...hostFileRoutes(context),
  ];
}

function logoRoutes(context: AdminContext): Route[] {
  const { instance } = context;
  return [
    handle(instanceEndpoints.setLogo, async ({ request, actor, address }) => {
      const png = await toLogo(await readBody(request, MAX_LOGO_BYTES, address));
      const details = { fields: ['logo'] };
      await change(context, { actor, address }, details, (tx) => instance.saveLogo(tx, png));
      return instance.current;
    }),
    handle(instanceEndpoints.removeLogo, async ({ actor, address }) => {
      const details = { fields: ['logo'] };
      await change(context, { actor, address }, details, (tx) => instance.saveLogo(tx, undefined));
      return done('The logo is removed.');
    }),
    route({
      method: 'GET',
      path: '/assets/instance/:file',
      access: { kind: 'public' },
      summary: 'The logo of this server',
      params: logoParams,
      handle({ params }) {
        const { logo } = instance;
        if (logo?.path !== `/assets/instance/${params.file}`) throw notFound('This file was not found.');
        return new Response(logo.png, {
          headers: {
            'content-type': 'image/png',
            'cache-control': 'public, max-age=31536000, immutable',
            'x-content-type-options': 'nosniff',
            // Screens on the hosts of pages show the logo too.
            'cross-origin-resource-policy': 'cross-origin',
          },
        });
      },
    }),
  ];
}

async function change(
  context: AdminContext,
  auditActor: AuditActor,
  details: { fields: string[] },
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    await work(tx);
    await record(context, tx, auditActor, {
      action: 'instance.change',
      target: { kind: 'service', id: null, name: 'instance' },
      details,
    });
  });
  await context.instance.announce();
}
