import type { RepairOutcome } from '../../../contract/repairs/kinds.ts';
import type { Purge } from '../../lib/loops/sweeper.ts';
import type { Route } from '../../platform/http/index.ts';
import type { RepairsContext } from './context.ts';
import { Repairs } from './repairs.ts';
import { readReport } from './report.ts';
import { repairRoutes } from './routes.ts';
import { listEnded } from './store.ts';

/** Exports the repairs of a page. */
export { exportRepairs } from './privacy/export.ts';

/** A repair that has ended, as the home screen shows it. */
interface EndedRepair {
  pageId: number;
  message: string;
  outcome: RepairOutcome;
}

/** Repairs of errors by the builder, on branches, with the proof. */
export interface RepairsSlice {
  routes: Route[];
  connect: Repairs['connect'];
  /** The repairs that a person began and that ended after a moment, the last one first. */
  listEnded(userId: number, moment: number, limit: number): Promise<EndedRepair[]>;
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
    async listEnded(userId, moment, limit) {
      const rows = await listEnded(options.db, userId, moment, limit);
      return rows.map((row) => ({
        ...{ pageId: row.page_id, message: row.message },
        outcome: readReport(row).outcome ?? 'lost',
      }));
    },
    purge: () => repairs.purge(),
    async stop() {
      clearInterval(looking);
      await repairs.stop();
    },
  };
}
