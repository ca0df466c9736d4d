import { z } from 'zod';
import type { NewUserCredits } from '../../../contract/admin/connections.ts';
import { CONNECTABLE, type Connectable } from '../../../contract/rules/provider-kinds.ts';
import { createSealer, type Resealed, type Sealer, type ServiceKey } from '../../lib/secrets.ts';
import type { ChosenProviders } from '../providers/index.ts';
import type { Db } from '../storage/index.ts';
import { lockSetting } from './service-settings.ts';
import { readSetting, saveSetting } from './store.ts';

/** The name of the setting in the database. */
export const SETTING = 'providers';
/** Credits of a new account while only the demo is in use, which costs the operator nothing. */
const DEMO_CREDITS = 20;

export const createKeySealer = (serviceKey: ServiceKey): Sealer =>
  createSealer(serviceKey, 'quire provider keys');

export const StoredConnection = z.object({
  provider: z.string(),
  url: z.string().optional(),
  model: z.string().optional(),
  visionModel: z.string().optional(),
  embedModel: z.string().optional(),
  offersBuilder: z.boolean().optional(),
  models: z.array(z.object({ name: z.string(), price: z.number() })).optional(),
  sealedKey: z.string().optional(),
});
export type StoredConnection = z.infer<typeof StoredConnection>;
export const Stored = z.object({
  connections: z.partialRecord(z.enum(CONNECTABLE), StoredConnection).default({}),
  newUserCredits: z.int().optional(),
});
export type Stored = z.infer<typeof Stored>;

/** What the environment says about providers. */
export interface ProviderConfig extends ChosenProviders {
  isSetByEnvironment: Record<Connectable, boolean>;
  creditsForNewUser: number | undefined;
}

export async function readStored(db: Db): Promise<Stored> {
  const text = await readSetting(db, SETTING);
  return Stored.parse(text === undefined ? {} : JSON.parse(text));
}

/** The credits of a new account, for commands that have no server. */
export async function readNewUserCredits(db: Db, config: ProviderConfig): Promise<number> {
  return chooseCredits(config, await readStored(db)).credits;
}

export function chooseCredits(
  config: ProviderConfig,
  { connections, newUserCredits }: Stored,
): NewUserCredits {
  if (config.creditsForNewUser !== undefined)
    return { credits: config.creditsForNewUser, source: 'environment' };
  if (newUserCredits !== undefined) return { credits: newUserCredits, source: 'dashboard' };
  const isDemo = (name: 'chat' | 'images') => !config.isSetByEnvironment[name] && !connections[name];
  // A provider in the environment may be the demo too.
  const isChatDemo = config.isSetByEnvironment.chat ? config.ai.provider === 'demo' : isDemo('chat');
  return { credits: isChatDemo && isDemo('images') ? DEMO_CREDITS : 0, source: 'default' };
}

/** Whether the keys of providers were sealed with this secret; true if there are none. */
export async function areKeysSealedWith(db: Db, key: ServiceKey): Promise<boolean> {
  const sealer = createKeySealer(key);
  const { connections } = await readStored(db);
  return CONNECTABLE.every((name) => {
    const sealedKey = connections[name]?.sealedKey;
    if (sealedKey === undefined) return true;
    try {
      sealer.open(sealedKey, name);
      return true;
    } catch {
      return false;
    }
  });
}

/** Encrypts the keys of providers with the newest key of the service. `lost` names those whose key nobody gave. */
export function resealProviderKeys(db: Db, key: ServiceKey, now: number): Promise<Resealed> {
  const sealer = createKeySealer(key);
  return db.transaction().execute(async (tx) => {
    await lockSetting(tx, SETTING);
    const stored = await readStored(tx);
    const result: Resealed = { moved: 0, lost: [] };
    for (const name of CONNECTABLE) {
      const connection = stored.connections[name];
      if (connection?.sealedKey === undefined) continue;
      const sealed = sealer.reseal(connection.sealedKey, name);
      if (sealed === 'lost') result.lost.push(`the key of the provider for ${name}`);
      else if (sealed !== 'current') {
        connection.sealedKey = sealed;
        result.moved++;
      }
    }
    if (result.moved > 0) await saveSetting(tx, SETTING, JSON.stringify(stored), now);
    return result;
  });
}
