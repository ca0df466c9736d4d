import type { Connection, NewUserCredits } from '../../../contract/admin/connections.ts';
import {
  CONNECTABLE,
  type Connectable,
  type ProviderFailure,
} from '../../../contract/rules/provider-kinds.ts';
import type { Sealer, ServiceKey } from '../../lib/secrets.ts';
import type { Broadcast } from '../coordination/events/index.ts';
import type { ChosenProviders } from '../providers/index.ts';
import type { Db, Tx } from '../storage/index.ts';
import { endOfKey, type OpenConnection, readOrigin, withConnection } from './open-connection.ts';
import { lockSetting } from './service-settings.ts';
import { saveSetting } from './store.ts';
import {
  chooseCredits,
  createKeySealer,
  type ProviderConfig,
  readStored,
  SETTING,
  Stored,
  StoredConnection,
} from './stored-connections.ts';

const TOPIC = 'providers';
const PROBLEM_TOPIC = 'provider problem';

interface Options {
  db: Db;
  broadcast: Broadcast;
  /** The service's secret key. */
  key: ServiceKey;
  config: ProviderConfig;
  now: () => number;
}

/**
 * The models and searches that administrators connect. They are in memory on every node, so no call reads the database
 * for them, and a change reaches all nodes at once. What the environment sets stays as it is.
 */
export class Connections {
  #stored: Stored = Stored.parse({});
  readonly #keys = new Map<Connectable, string>();
  readonly #problems = new Map<Connectable, ProviderFailure>();
  #loading: Promise<void> = Promise.resolve();
  #onChange: () => void = () => undefined;
  readonly #options: Options;
  readonly #sealer: Sealer;

  constructor(options: Options) {
    this.#options = options;
    this.#sealer = createKeySealer(options.key);
    const { broadcast } = options;
    const reload = () => void this.load().catch(() => undefined);
    broadcast.subscribe(TOPIC, reload);
    broadcast.onGap(reload);
    broadcast.subscribe(PROBLEM_TOPIC, (message) => {
      const [name, problem] = message as [Connectable, ProviderFailure | null];
      this.#setProblem(name, problem ?? undefined);
    });
  }

  /** Calls the listener after every change, also of another node. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Reads what administrators have set. Calls do not overlap: an old answer must not replace a newer one. */
  load(): Promise<void> {
    const loading = this.#loading.then(() => this.#read());
    this.#loading = loading.catch(() => undefined);
    return loading;
  }

  async #read(): Promise<void> {
    const before = this.#stored.connections;
    this.#stored = await readStored(this.#options.db);
    this.#keys.clear();
    for (const name of CONNECTABLE) {
      const stored = this.#stored.connections[name];
      const key = stored && this.#open(name, stored);
      if (key !== undefined) this.#keys.set(name, key);
      if (JSON.stringify(stored) !== JSON.stringify(before[name])) this.#problems.delete(name);
    }
    this.#onChange();
  }

  /** The key of a connection. Undefined if there is none, or if it was sealed with another secret. */
  #open(name: Connectable, { sealedKey }: StoredConnection): string | undefined {
    try {
      return sealedKey === undefined ? undefined : this.#sealer.open(sealedKey, name);
    } catch {
      return undefined;
    }
  }

  /** The providers to use now. */
  get chosen(): ChosenProviders {
    let chosen: ChosenProviders = this.#options.config;
    for (const name of CONNECTABLE) {
      const connection = this.#find(name);
      if (connection) chosen = withConnection(chosen, name, connection);
    }
    const { ai, images, imageSearch } = chosen;
    return { ai, images, imageSearch };
  }

  /** What an administrator has connected; undefined if there is nothing, or if the environment decides. */
  #find(name: Connectable): OpenConnection | undefined {
    const stored = this.#options.config.isSetByEnvironment[name] ? undefined : this.#stored.connections[name];
    if (!stored) return undefined;
    const { sealedKey, ...rest } = stored;
    // Without its key, a provider refuses every call, and says why.
    const key = this.#keys.get(name) ?? (sealedKey === undefined ? undefined : '');
    return { ...(rest as OpenConnection), key };
  }

  /** The names of the providers in use. */
  get names(): Record<'chat' | 'images' | 'imageSearch', string> {
    return {
      chat: this.describe('chat').provider,
      images: this.describe('images').provider,
      imageSearch: this.describe('image-search').provider,
    };
  }

  source(name: Connectable): Connection['source'] {
    if (this.#options.config.isSetByEnvironment[name]) return 'environment';
    return this.#stored.connections[name] ? 'dashboard' : 'default';
  }

  /** How a provider is connected, without its key. */
  describe(name: Connectable): Connection {
    const { ai, images, imageSearch } = this.chosen;
    const source = this.source(name);
    const show = (fields: OpenConnection): Connection => ({
      source,
      provider: fields.provider,
      url: fields.url ?? null,
      model: fields.model ?? null,
      visionModel: fields.visionModel === fields.model ? null : (fields.visionModel ?? null),
      embedModel: fields.embedModel ?? null,
      keyEnd: fields.key ? endOfKey(fields.key) : null,
      offersBuilder: fields.offersBuilder ?? false,
      models: fields.models ?? [],
    });
    if (name === 'chat')
      return show({
        ...(ai as OpenConnection),
        offersBuilder: ai.provider !== 'demo' && ai.callsTools !== false,
      });
    if (name === 'images')
      return show({
        ...(images as OpenConnection),
        provider: (images.url === undefined ? 'demo' : 'openai-compatible') as OpenConnection['provider'],
      });
    return show(imageSearch as OpenConnection);
  }

  /** The key that is saved for the same provider at the same host. */
  findKey(provider: string, url: string | undefined): string | undefined {
    for (const name of CONNECTABLE) {
      const stored = this.#find(name);
      const isSame = stored?.provider === provider && readOrigin(stored.url) === readOrigin(url);
      if (isSame && stored?.key) return stored.key;
    }
    return undefined;
  }

  /** Why a provider fails, if it will fail again. */
  problem(name: Connectable): ProviderFailure | undefined {
    const stored = this.source(name) === 'dashboard' ? this.#stored.connections[name] : undefined;
    return stored?.sealedKey && !this.#keys.has(name) ? 'key-lost' : this.#problems.get(name);
  }

  /** Notes that a provider fails, or that it works again, on all nodes. */
  noteProblem(name: Connectable, problem: ProviderFailure | undefined): void {
    if (this.#problems.get(name) === problem) return;
    this.#setProblem(name, problem);
    this.#options.broadcast.publish(PROBLEM_TOPIC, [name, problem ?? null]);
  }

  #setProblem(name: Connectable, problem: ProviderFailure | undefined): void {
    if (problem === undefined) this.#problems.delete(name);
    else this.#problems.set(name, problem);
  }

  get newUserCredits(): NewUserCredits {
    return chooseCredits(this.#options.config, this.#stored);
  }

  /** Saves a connection, or forgets it. Call `announce` after the commit. */
  async save(tx: Tx, name: Connectable, connection: OpenConnection | undefined): Promise<void> {
    await this.#change(tx, (stored) => {
      if (!connection) {
        delete stored.connections[name];
        return;
      }
      const { key, ...rest } = connection;
      const sealedKey = key ? this.#sealer.seal(key, name) : undefined;
      stored.connections[name] = StoredConnection.parse({ ...rest, sealedKey });
    });
  }

  /** Saves the credits of new accounts; null for the default. Call `announce` after the commit. */
  async saveNewUserCredits(tx: Tx, credits: number | null): Promise<void> {
    await this.#change(tx, (stored) => {
      stored.newUserCredits = credits ?? undefined;
    });
  }

  async #change(tx: Tx, work: (stored: Stored) => void): Promise<void> {
    await lockSetting(tx, SETTING);
    const stored = await readStored(tx);
    work(stored);
    await saveSetting(tx, SETTING, JSON.stringify(stored), this.#options.now());
  }

  /** Uses the change here and on all other nodes. */
  async announce(): Promise<void> {
    await this.load();
    this.#options.broadcast.publish(TOPIC, '');
  }
}
