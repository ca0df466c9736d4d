import { importEndpoints } from '../../../contract/imports/endpoints.ts';
import { handle, type Route, readBearer } from '../../platform/http/index.ts';
import type { Importer, ImportsOptions, Service } from './context.ts';
import { Imports } from './imports.ts';
import {
  createPublishForCaller,
  type PublishForCaller,
  type TemplatesContext,
  templatePageRoutes,
} from './templates/routes.ts';

/** Which page a request has made, so that one that is sent again makes none. */
export { findRequested, insertRequest } from './templates/store.ts';

/** Imports sites, components, Workers and vals, and publishes templates. */
interface ImportsSlice {
  routes: Route[];
  publishTemplate: PublishForCaller;
  /** Sets the API, which is known only when all routes are. */
  connect(service: Service): void;
  stop(): void;
}

export function createImports(options: ImportsOptions & TemplatesContext): ImportsSlice {
  const imports = new Imports(options);
  const publishTemplate = createPublishForCaller(options, () => imports.api);
  return {
    publishTemplate,
    routes: [
      ...templatePageRoutes(options, () => imports.api, publishTemplate),
      handle(importEndpoints.importFiles, (asked) =>
        imports.importBody(toImporter(asked), asked.request, asked.query),
      ),
      handle(importEndpoints.importAddress, (asked) =>
        imports.importAddress(toImporter(asked), asked.request, asked.body),
      ),
    ],
    connect: (service) => imports.connect(service),
    stop: () => imports.stop(),
  };
}

function toImporter({ request, actor, address, requestId }: Omit<Importer, 'bearer'> & { request: Request }) {
  return { actor, bearer: readBearer(request) ?? '', address, requestId };
}
