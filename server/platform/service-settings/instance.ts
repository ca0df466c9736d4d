import { z } from 'zod';
import type { Instance } from '../../../contract/admin/instance.ts';
import { toAccent } from '../../../contract/rules/colors.ts';
import type { Broadcast } from '../coordination/events/index.ts';
import type { Db, Tx } from '../storage/index.ts';
import { QUIRE_LOOK, setLook } from './look.ts';
import { lockSetting } from './service-settings.ts';
import { readSetting, saveSetting } from './store.ts';

const NAME = 'instance';
const LOGO = 'instance logo';
const TOPIC = 'instance';

const Stored = z.object({
  name: z.string().default(QUIRE_LOOK.name),
  tagline: z.string().default(''),
  text: z.string().default(''),
  color: z.string().nullable().default(null),
});
type Stored = z.infer<typeof Stored>;

interface Logo {
  png: Uint8Array<ArrayBuffer>;
  /** The path of the logo, another one for each logo. */
  path: string;
}

/**
 * How this server presents itself. It is in memory on every node, so no screen reads the database for it, and a change
 * reaches all nodes at once.
 */
export class InstanceSettings {
  #stored: Stored = Stored.parse({});
  #logo: Logo | undefined;
  #loading: Promise<void> = Promise.resolve();
  readonly #options: { db: Db; broadcast: Broadcast; baseUrl: string; now: () => number };

  constructor(options: { db: Db; broadcast: Broadcast; baseUrl: string; now: () => number }) {
    this.#options = options;
    const reload = () => void this.load().catch(() => undefined);
    options.broadcast.subscribe(TOPIC, reload);
    options.broadcast.onGap(reload);
  }

  /** Reads what administrators have set. Calls do not overlap: an old answer must not replace a newer one. */
  load(): Promise<void> {
    const loading = this.#loading.then(() => this.#read());
    this.#loading = loading.catch(() => undefined);
    return loading;
  }

  async #read(): Promise<void> {
    const { db } = this.#options;
    const [stored, logo] = [await readSetting(db, NAME), await readSetting(db, LOGO)];
    this.#stored = Stored.parse(stored === undefined ? {} : JSON.parse(stored));
    this.#logo = logo ? toLogo(logo) : undefined;
    const { name, color } = this.#stored;
    setLook({ name, logo: this.#logo?.path, accent: color === null ? QUIRE_LOOK.accent : toAccent(color) });
  }

  /** How this server presents itself, for everyone. */
  get current(): Instance {
    const { color } = this.#stored;
    const { light, dark } = color === null ? QUIRE_LOOK.accent : toAccent(color);
    const logo = this.#logo ? this.#options.baseUrl + this.#logo.path : null;
    return { ...this.#stored, accent: { light, dark }, logo };
  }

  /** The logo as PNG; undefined if there is none. */
  get logo(): Logo | undefined {
    return this.#logo;
  }

  /** Saves changes. Call `announce` after the commit. */
  async save(tx: Tx, changes: { [Field in keyof Stored]?: Stored[Field] | undefined }): Promise<void> {
    await lockSetting(tx, NAME);
    const before = await readSetting(tx, NAME);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after = { ...(before === undefined ? {} : JSON.parse(before)), ...given };
    await saveSetting(tx, NAME, JSON.stringify(Stored.parse(after)), this.#options.now());
  }

  /** Saves a logo as PNG, or none. Call `announce` after the commit. */
  async saveLogo(tx: Tx, png: Uint8Array | undefined): Promise<void> {
    await saveSetting(tx, LOGO, png ? Buffer.from(png).toString('base64') : '', this.#options.now());
  }

  /** Shows the change here and on all other nodes. */
  async announce(): Promise<void> {
    await this.load();
    this.#options.broadcast.publish(TOPIC, '');
  }
}

function toLogo(base64: string): Logo {
  const png = Uint8Array.from(Buffer.from(base64, 'base64'));
  const tag = new Bun.CryptoHasher('sha256').update(png).digest('hex').slice(0, 16);
  return { png, path: `/assets/instance/logo-${tag}.png` };
}
