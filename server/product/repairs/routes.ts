import { done } from '../../../contract/fields.ts';
import { repairEndpoints } from '../../../contract/repairs/endpoints.ts';
import { handle, type Route, readBearer } from '../../platform/http/index.ts';
import type { Repairs } from './repairs.ts';

export function repairRoutes(repairs: Repairs): Route[] {
  return [
    handle(repairEndpoints.startRepair, ({ params, body, actor, address, requestId, request }) =>
      repairs.start({ actor, bearer: readBearer(request) ?? '', address, requestId }, { ...params, ...body }),
    ),
    handle(repairEndpoints.listRepairs, ({ params, actor }) => repairs.list(actor, params.id)),
    handle(repairEndpoints.getRepair, ({ params, actor }) => repairs.get(actor, params)),
    handle(repairEndpoints.cancelRepair, async ({ params, actor }) => {
      await repairs.cancel(actor, params);
      return done('The repair is stopped.');
    }),
  ];
}
