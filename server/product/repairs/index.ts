import type { Purge } from '../../lib/loops/sweeper.ts';
import type { Route } from '../../platform/http/index.ts';
import type { RepairsContext } from './context.ts';
import { Repairs } from './repairs.ts';
import { repairRoutes } from './routes.ts';

/** Exports the repairs of a page. */
export { exportRepairs } from './privacy/export.ts';

/** Repairs of errors by the builder, on branches, with the proof. */
export interface RepairsSlice {
  routes: Route[];
  connect: Repairs['connect'];
  purge: Purge;
  stop(): Promise<void>;
}

/** How often repairs of lost nodes are looked for. */
const LOOK_EVERY_MS = 30_000;

export function createRepairs(options: Omit<RepairsContext, 'service'>): RepairsSlice {
  const repairs = new Repairs(options);
  const looking = setInterval(() => void repairs.look(), LOOK_EVERY_MS);
  looking.unref();
  return {
    routes: repairRoutes(repairs),
    connect: (service) => repairs.connect(service),
    purge: () => repairs.purge(),
    async stop() {
      clearInterval(looking);
      await repairs.stop();
    },
  };
}
