import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createSealer, type Resealed, type ServiceKey } from '../../lib/secrets.ts';
import type { Db, PlainRow } from '../storage/index.ts';
import { lockSetting } from './service-settings.ts';
import { fixSetting, readSetting, saveSetting } from './store.ts';

const SETTING = 'cluster-key';

/** What the nodes of a cluster share, so that it stays while QUIRE_SECRET is replaced. */
const ClusterKey = z.object({
  /** What hosts of databases at different nodes speak with. */
  hosts: z.string(),
  /** Shows whether two nodes have the same key, and nothing else. */
  fingerprint: z.string(),
});
export type ClusterKey = z.infer<typeof ClusterKey>;

const createClusterSealer = (key: ServiceKey) => createSealer(key, 'quire cluster key');

/** The first key of a cluster. */
export function deriveClusterKey(secret: Buffer): ClusterKey {
  const derive = (purpose: string) => createHmac('sha256', secret).update(purpose).digest('hex');
  return { hosts: derive('workerd cluster'), fingerprint: derive('terms of a cluster') };
}

/** The key of the cluster with this database; undefined if it was encrypted with another QUIRE_SECRET. */
export async function readClusterKey(db: Db, key: ServiceKey, now: number): Promise<ClusterKey | undefined> {
  const sealer = createClusterSealer(key);
  const first = JSON.stringify(deriveClusterKey(key.inUse.bytes));
  const sealed = await fixSetting(db, SETTING, sealer.seal(first, SETTING), now);
  try {
    return ClusterKey.parse(JSON.parse(sealer.open(sealed, SETTING)));
  } catch {
    return undefined;
  }
}

/** Replaces the key by one that is not made from any QUIRE_SECRET. No node may run meanwhile. */
export async function replaceClusterKey(db: Db, key: ServiceKey, now: number): Promise<ClusterKey> {
  const fresh = deriveClusterKey(randomBytes(32));
  const sealed = createClusterSealer(key).seal(JSON.stringify(fresh), SETTING);
  await db.transaction().execute((tx) => saveSetting(tx, SETTING, sealed, now));
  return fresh;
}

/** Encrypts the key with the newest key of the service. */
export function resealClusterKey(db: Db, key: ServiceKey, now: number): Promise<Resealed> {
  return db.transaction().execute(async (tx) => {
    await lockSetting(tx, SETTING);
    const stored = await readSetting(tx, SETTING);
    const sealed = stored === undefined ? 'current' : createClusterSealer(key).reseal(stored, SETTING);
    if (sealed === 'current') return { moved: 0, lost: [] };
    if (sealed === 'lost') return { moved: 0, lost: ["the key of the databases' hosts"] };
    await saveSetting(tx, SETTING, sealed, now);
    return { moved: 1, lost: [] };
  });
}

/** True for the row with the key, which is not in backups: where they are restored is another cluster. */
export const isClusterKey = (table: string, row: PlainRow) =>
  table === 'service_settings' && row.name === SETTING;
