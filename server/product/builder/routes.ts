import { builderEndpoints } from '../../../contract/agents/builder-endpoints.ts';
import { type Actor, bearerOf, handle, type Route } from '../../platform/http/index.ts';
import type { Builder } from './builder.ts';

/** The input of every builder route. */
interface Asked {
  request: Request;
  actor: Actor;
  address: string;
  requestId: string;
}

const callerOf = ({ request, actor, address, requestId }: Asked) => ({
  actor,
  bearer: bearerOf(request) ?? '',
  address,
  requestId,
});

export function builderRoutes(builder: Builder): Route[] {
  return [
    handle(builderEndpoints.getBuilder, ({ actor }) => builder.describe(actor)),
    handle(builderEndpoints.buildNewPage, (asked) =>
      builder.buildNew(callerOf(asked), asked.body, asked.request.signal),
    ),
    handle(builderEndpoints.buildPage, (asked) =>
      builder.build(callerOf(asked), asked.params.id, asked.body, asked.request.signal),
    ),
    handle(builderEndpoints.stopBuilder, (asked) => builder.stopOn(callerOf(asked), asked.params.id)),
  ];
}
