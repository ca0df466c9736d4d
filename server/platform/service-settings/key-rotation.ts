import { z } from 'zod';
import type { ServiceKey } from '../../lib/secrets.ts';
import type { Log } from '../http/index.ts';
import { type Db, listRunningNodes, readNodeName, setKeyAside } from '../storage/index.ts';
import { deleteSettingsLike, fixSetting, readSetting, saveSetting } from './store.ts';

/** The id of the key that all nodes use, once one was replaced. */
const IN_USE = 'key-in-use';
/** The id of the last key that everything was encrypted with; empty while that goes on. */
const FINISHED = 'key-everywhere';
const LOOK_EVERY_MS = 2_000;

/** The keys that a node accepts, and the one that it uses, by their ids. */
const NodeKeys = z.object({ accepted: z.array(z.string()), inUse: z.string() });
type NodeKeys = z.infer<typeof NodeKeys>;

const settingFor = (node: string) => `keys-of-${node}`;

interface RotationOptions {
  db: Db;
  key: ServiceKey;
  dataFolder: string;
  log: Log;
  now: () => number;
}

/** What a server does while its key is replaced: it says which keys it knows, and waits to use the new one. */
export class KeyRotation {
  readonly #options: RotationOptions;
  readonly #name: string;
  #timer: ReturnType<typeof setInterval> | undefined;

  private constructor(options: RotationOptions) {
    this.#options = options;
    this.#name = readNodeName(options.dataFolder);
  }

  static async start(options: RotationOptions): Promise<KeyRotation> {
    const rotation = new KeyRotation(options);
    await rotation.#look();
    await rotation.#report();
    await rotation.#setOldKeyAside();
    if (options.key.isReplaced && options.key.inUse !== options.key.newest) rotation.#wait();
    return rotation;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #wait(): void {
    const { key, log } = this.#options;
    this.#timer = setInterval(() => {
      this.#look()
        .then(async () => {
          if (key.inUse !== key.newest) return;
          await this.#report();
          clearInterval(this.#timer);
          log.info('the new QUIRE_SECRET is in use');
        })
        // Without the database nothing is encrypted either. It is tried again.
        .catch((error: unknown) => log.debug({ err: error }, 'the key in use could not be read'));
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { db, key, log, now } = this.#options;
    const inUse = await fixSetting(db, IN_USE, key.inUse.id, now());
    if (inUse === key.newest.id) key.useNew();
    else if (!key.isReplaced)
      log.warn(
        'QUIRE_SECRET is not the key that secrets were encrypted with: functions and providers cannot use them. Set QUIRE_SECRET_OLD to that key, and run "quire secrets rotate".',
      );
  }

  /** The key in the data folder is no longer the key of the service, once everything was encrypted with another. */
  async #setOldKeyAside(): Promise<void> {
    const { db, key, dataFolder, log } = this.#options;
    if (key.isReplaced || (await readSetting(db, FINISHED)) !== key.newest.id) return;
    const path = setKeyAside(dataFolder, key.newest.id);
    if (path) log.info(`The key that was replaced is now in ${path}. Backups from before need it.`);
  }

  async #report(): Promise<void> {
    const { db, key, now } = this.#options;
    const keys: NodeKeys = { accepted: key.all.map(({ id }) => id), inUse: key.inUse.id };
    const text = JSON.stringify(keys);
    const known = await readSetting(db, settingFor(this.#name));
    // Nobody asks unless a key is replaced.
    if (known === text || (known === undefined && !key.isReplaced)) return;
    await db.transaction().execute((tx) => saveSetting(tx, settingFor(this.#name), text, now()));
  }
}

/** Lets all nodes use a key from now on. */
export async function useKey(db: Db, id: string, now: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await saveSetting(tx, IN_USE, id, now);
    await saveSetting(tx, FINISHED, '', now);
  });
}

/** Says that nothing needs an older key any more. */
export async function finishRotation(db: Db, id: string, now: number): Promise<void> {
  await db.transaction().execute((tx) => saveSetting(tx, FINISHED, id, now));
}

/** The id of the key that is in use, and whether its rotation has begun and not ended. Undefined before the first start. */
export async function readKeyInUse(db: Db): Promise<{ id: string; isUnfinished: boolean } | undefined> {
  const id = await readSetting(db, IN_USE);
  return id === undefined ? undefined : { id, isUnfinished: (await readSetting(db, FINISHED)) === '' };
}

/** Removes what nodes that no longer run have said about their keys. */
export async function forgetOtherNodes(place: Parameters<typeof listRunningNodes>[0]): Promise<void> {
  const running = await listRunningNodes(place);
  await deleteSettingsLike(
    place.db,
    settingFor(''),
    running.map(({ name }) => settingFor(name)),
  );
}

/** The running nodes that do not accept a key, and those that do not use it yet, by their machines. */
export async function findNodesWithout(
  place: { db: Db; engine: 'sqlite' | 'postgres'; dataFolder: string },
  id: string,
): Promise<{ unaware: string[]; waiting: string[] }> {
  const unaware: string[] = [];
  const waiting: string[] = [];
  for (const { name, host } of await listRunningNodes(place)) {
    const text = await readSetting(place.db, settingFor(name));
    const keys = text === undefined ? undefined : NodeKeys.parse(JSON.parse(text));
    if (!keys?.accepted.includes(id)) unaware.push(host);
    else if (keys.inUse !== id) waiting.push(host);
  }
  return { unaware, waiting };
}
