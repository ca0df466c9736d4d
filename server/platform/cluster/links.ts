import type { Log } from '../http/index.ts';
import type { Peer } from '../storage/index.ts';
import { Incoming } from './incoming.ts';
import { findHosts, findHostsAddress } from './loopback.ts';
import type { NodeKey } from './node-key.ts';
import { Outgoing } from './outgoing.ts';

interface LinkOptions {
  key: NodeKey;
  /** Names the loopback of this machine. */
  network: string;
  number: number;
  address: string;
  shards: number;
  listPeers(): Promise<Peer[]>;
  log: Pick<Log, 'info' | 'warn'>;
}

/** How soon a node notices that others were added, removed or have another key. */
const READ_EVERY_MS = 2_000;
/** How often strangers can make a node read the registered nodes. */
const READ_AGAIN_MS = 500;

/** Connects the database hosts of this node with those of other nodes, over TLS. */
export class NodeLinks {
  /** Where the database hosts of this node listen, and find each other. */
  readonly hostsAddress: string;
  readonly #outgoing = new Map<string, Outgoing>();
  #fingerprints = new Set<string>();
  #incoming: Incoming | undefined;
  /** The read that begins when `pause` is over. */
  #next: Promise<void> | undefined;
  #pause: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isStopped = false;
  #shards: number;

  static async start(options: LinkOptions): Promise<NodeLinks> {
    const links = new NodeLinks(options);
    await links.#read();
    links.#incoming = await Incoming.listen({
      ...options,
      countShards: () => links.#shards,
      hosts: findHosts(options.number, options.address),
      knows: (fingerprint) => links.#fingerprints.has(fingerprint),
      refresh: () => links.#refresh(),
    });
    links.#timer = setInterval(() => void links.#refresh(), READ_EVERY_MS);
    return links;
  }

  private constructor(private readonly options: LinkOptions) {
    this.#shards = options.shards;
    this.hostsAddress = findHostsAddress(options.number, options.address);
  }

  /** Also connects the hosts of more shards. They may start when this returns. */
  async openShards(count: number): Promise<void> {
    if (count <= this.#shards) return;
    this.#shards = count;
    await this.#refresh();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#incoming?.stop();
    for (const way of this.#outgoing.values()) way.stop();
  }

  /** Reads the nodes again, soon, once for all who wait. While the database is unavailable, those that are known stay. */
  #refresh(): Promise<void> {
    this.#next ??= this.#pause.then(() => {
      this.#next = undefined;
      const reading = this.#read().catch(() => undefined);
      this.#pause = Promise.all([reading, Bun.sleep(READ_AGAIN_MS)]);
      return reading;
    });
    return this.#next;
  }

  async #read(): Promise<void> {
    const peers = await this.options.listPeers();
    if (this.#isStopped) return;
    this.#fingerprints = new Set(peers.map(({ fingerprint }) => fingerprint));
    this.#incoming?.endUnknown();
    // Nodes of this machine have the same loopback, so their hosts are there already.
    const remote = peers.filter(({ network }) => network !== this.options.network);
    const wanted = new Map(remote.map((peer) => [JSON.stringify(peer), peer]));
    for (const [id, way] of this.#outgoing) {
      if (wanted.has(id)) continue;
      way.stop();
      this.#outgoing.delete(id);
    }
    for (const [id, peer] of wanted) {
      if (this.#outgoing.has(id)) continue;
      const warn = (sentence: string) => this.options.log.warn(sentence);
      this.#outgoing.set(id, new Outgoing({ ...this.options, countShards: () => this.#shards, peer, warn }));
    }
    await Promise.all([...this.#outgoing.values()].map((way) => way.listen()));
  }
}
