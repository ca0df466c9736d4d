import type { Route } from '../../platform/http/index.ts';
import { Builder } from './builder.ts';
import type { BuilderContext, Service } from './context.ts';
import { builderRoutes } from './routes.ts';

/** Builds pages from descriptions. */
export interface BuilderSlice {
  routes: Route[];
  /** Sets the API and the tools, which are known only when all routes are. */
  connect(service: Service): void;
  /** Fails with what the server lacks for the builder. */
  assertAvailable(): void;
  /** Why the builder is not available; undefined if it is. */
  findProblem(): string | undefined;
  /** Works on a page for another part of the service, which decides what the run can touch. Resolves at its end. */
  work: Builder['work'];
  /** Ends every run. */
  stop(): Promise<void>;
}

export function createBuilder(options: Omit<BuilderContext, 'service'>): BuilderSlice {
  const builder = new Builder(options);
  return {
    routes: builderRoutes(builder),
    connect: (service) => builder.connect(service),
    assertAvailable: () => void builder.assertAvailable(),
    findProblem: () => builder.findProblem(),
    work: (caller, work) => builder.work(caller, work),
    stop: () => builder.stop(),
  };
}
