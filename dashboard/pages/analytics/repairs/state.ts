import { repairEndpoints } from '../../../../contract/repairs/endpoints.ts';
import type { Repair, RepairList, StartRepair } from '../../../../contract/repairs/repairs.ts';
import { call } from '../../../api.ts';
import { useLoad, useRefresh } from '../../../ui/index.ts';
import type { PageDetail } from '../../api.ts';

/** How often a repair that is under way is looked at. */
const LOOK_EVERY_MS = 1_500;

/** The repairs of a page, and what can be done about them. */
export interface Repairs {
  list: RepairList | undefined;
  /** Why they, or what has changed since, could not be loaded. */
  error: Error | undefined;
  reload(): Promise<void>;
  /** The last repair of an error. */
  find(fingerprint: string): Repair | undefined;
  start(fingerprint: string, data: StartRepair['data']): Promise<void>;
  cancel(repair: Repair): Promise<void>;
}

/** Undefined for people who cannot repair anything here: only owners can, and not on a branch. */
export function useRepairs(page: PageDetail): Repairs | undefined {
  const { id } = page;
  const isOwner = page.role === 'owner' && !page.branch;
  const loaded = useLoad(
    async (signal) => (isOwner ? call(repairEndpoints.listRepairs, { params: { id }, signal }) : undefined),
    [id, isOwner],
  );
  const list = loaded.value;
  const isRunning = list?.repairs.some(({ state }) => state === 'running') === true;
  useRefresh(loaded.refresh, isRunning ? LOOK_EVERY_MS : undefined);
  if (!isOwner) return undefined;
  return {
    list,
    error: loaded.error,
    reload: loaded.reload,
    find: (fingerprint) => list?.repairs.find(({ about }) => about.fingerprint === fingerprint),
    async start(fingerprint, data) {
      await call(repairEndpoints.startRepair, { params: { id, fingerprint }, body: { data } });
      await loaded.reload();
    },
    async cancel({ id: repair }) {
      await call(repairEndpoints.cancelRepair, { params: { id, repair } });
      await loaded.reload();
    },
  };
}
