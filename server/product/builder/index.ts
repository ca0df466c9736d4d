import type { Route } from '../../platform/http/index.ts';
import { Builder } from './builder.ts';
import type { BuilderContext, Service } from './context.ts';
import { builderRoutes } from './routes.ts';

/** Builds pages from descriptions. */
export interface BuilderSlice {
  routes: Route[];
  /** Sets the API and the tools, which are known only when all routes are. */
  connect(service: Service): void;
  /** Ends every run. */
  stop(): Promise<void>;
}

export function createBuilder(options: Omit<BuilderContext, 'service'>): BuilderSlice {
  const builder = new Builder(options);
  return {
    routes: builderRoutes(builder),
    connect: (service) => builder.connect(service),
    stop: () => builder.stop(),
  };
}
