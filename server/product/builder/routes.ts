import { builderEndpoints } from '../../../contract/agents/builder-endpoints.ts';
import { type Actor, handle, type Route, readBearer } from '../../platform/http/index.ts';
import type { Builder } from './builder.ts';

/** The input of every builder route. */
interface BuilderInput {
  request: Request;
  actor: Actor;
  address: string;
  requestId: string;
}

const toToolCaller = ({ request, actor, address, requestId }: BuilderInput) => ({
  actor,
  bearer: readBearer(request) ?? '',
  address,
  requestId,
});

export function builderRoutes(builder: Builder): Route[] {
  return [
    handle(builderEndpoints.getBuilder, ({ actor }) => builder.describe(actor)),
    handle(builderEndpoints.buildNewPage, (asked) => builder.buildNew(toToolCaller(asked), asked.body)),
    handle(builderEndpoints.buildPage, (asked) =>
      builder.build(toToolCaller(asked), asked.params.id, asked.body),
    ),
    handle(builderEndpoints.watchBuilder, (asked) =>
      builder.watch(toToolCaller(asked), asked.params.id, asked.request.signal),
    ),
    handle(builderEndpoints.stopBuilder, (asked) => builder.stopOn(toToolCaller(asked), asked.params.id)),
  ];
}
