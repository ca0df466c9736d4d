import type { Log } from '../http/index.ts';
import { type Db, listRunningNodes, readNodeName } from '../storage/index.ts';
import { deleteSettingsLike, readSetting, saveSetting } from './store.ts';

/** What `quire cluster reshard` asks of all nodes: `<id> <number of hosts>`. */
const ASKED = 'shards-asked';
const LOOK_EVERY_MS = 2_000;

/** The id of what a node has done last. */
const settingFor = (node: string) => `shards-of-${node}`;

interface WatchOptions {
  db: Db;
  dataFolder: string;
  log: Log;
  now: () => number;
  /** Starts hosts until there are this many, and reads again where databases are. False if a host does not run yet. */
  open(count: number): Promise<boolean>;
}

/** Lets a node of a cluster follow a change of the number of shards, while it runs. */
export class ShardWatch {
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #name: string;
  #done: string | undefined;
  #isLooking = false;

  constructor(private readonly options: WatchOptions) {
    this.#name = readNodeName(options.dataFolder);
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { log } = this.options;
    try {
      await this.#follow();
    } catch (error) {
      log.debug({ err: error }, 'the number of shards could not be followed; it is tried again');
    } finally {
      this.#isLooking = false;
    }
  }

  async #follow(): Promise<void> {
    const { db, now, open } = this.options;
    const asked = await readSetting(db, ASKED);
    if (asked === undefined || asked === this.#done) return;
    const [id = '', count] = asked.split(' ');
    if (!(await open(Number(count)))) return;
    await db.transaction().execute((tx) => saveSetting(tx, settingFor(this.#name), id, now()));
    this.#done = asked;
  }
}

/** Asks all nodes to start hosts until they have this many, and to read again where databases are. */
export async function askForShards(db: Db, id: string, count: number, now: number): Promise<void> {
  await db.transaction().execute((tx) => saveSetting(tx, ASKED, `${id} ${count}`, now));
}

/** The running nodes that have not done what was asked, by their machines. */
export async function findNodesBehind(
  place: Parameters<typeof listRunningNodes>[0],
  id: string,
): Promise<string[]> {
  const behind: string[] = [];
  for (const { name, host } of await listRunningNodes(place))
    if ((await readSetting(place.db, settingFor(name))) !== id) behind.push(`${host} (${name})`);
  return behind;
}

/** Removes what was asked, and what nodes have answered. */
export async function forgetShardsAsked(db: Db): Promise<void> {
  await deleteSettingsLike(db, 'shards-', []);
}
