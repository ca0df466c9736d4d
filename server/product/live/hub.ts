import { randomUUID } from 'node:crypto';
import { LIVE_MESSAGES_AT_ONCE, LIVE_MESSAGES_PER_SECOND } from '../../../contract/live/limits.ts';
import type { Relay } from '../../platform/coordination/events/index.ts';
import { TokenBucket } from '../../platform/coordination/limits/index.ts';
import { Connection } from './connection.ts';
import {
  DELIVERIES_AT_ONCE,
  DELIVERIES_PER_SECOND,
  MAX_TABS_OF_ADDRESS,
  MAX_TABS_OF_PAGE,
} from './limits.ts';
import { LivePage, sendToNodes } from './live-page.ts';
import { type Occasion, recheck } from './recheck.ts';
import { channelBusy, tooFast, tooManyTabs } from './refusals.ts';
import type { Visitor } from './visitor.ts';

const SWEEP_MS = 1_000;
/** How often connections are checked, for logins and access that ended without notice. */
const CHECK_EVERY_MS = 60_000;
/** Connections that are checked in one sweep. */
const CHECKS_AT_ONCE = 200;
/** How often to write to an idle connection. Clients take a silent one for dead, and do not see pings. */
const KEEP_ALIVE_MS = 20_000;

/** A page with the connections of its tabs. */
class ConnectedPage extends LivePage {
  readonly connections = new Set<Connection>();
  /** Set while a check of all connections waits. Further changes need no other check. */
  isCheckWaiting = false;
}

/** All pages with open tabs at this node. */
export class LiveHub {
  readonly #pages = new Map<number, ConnectedPage>();
  /** Tabs of each page by address. */
  readonly #tabs = new Map<string, number>();
  readonly #visitors = new Map<string, TokenBucket>();
  readonly #owners = new Map<number, TokenBucket>();
  /** Message rate per IP address. */
  readonly #addresses = new Map<string, TokenBucket>();
  #sweeping: ReturnType<typeof setInterval> | undefined;
  /** The prefix of the ids of tabs, different at each node. */
  readonly #run = randomUUID().slice(0, 8);
  #lastTab = 0;
  #deliveredBefore = 0;
  #published = 0;
  #changes = 0;

  constructor(
    private readonly options: {
      relay: Relay;
      /** Sends to all connections of a topic at this node. */
      publish(topic: string, frame: string): void;
      now: () => number;
    },
  ) {
    options.relay.onGone((node) => this.#each((page) => page.forgetNode(node)));
    options.relay.onGap(() => this.#each((page) => page.meetNodes()));
  }

  status() {
    let [tabs, channels, delivered] = [0, 0, this.#deliveredBefore];
    for (const page of this.#pages.values()) {
      tabs += page.connections.size;
      channels += page.channels.size;
      delivered += page.delivered;
    }
    return { tabs, channels, delivered, published: this.#published };
  }

  /** The people who are in the fullest channel of a page, at all nodes. */
  countPeople(pageId: number): number {
    let most = 0;
    for (const { presence } of this.#pages.get(pageId)?.channels.values() ?? [])
      most = Math.max(most, presence.size);
    return most;
  }

  /** Counts changes of logins and of access to any page. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Makes a connection, or refuses. It counts until it is closed. `since` is what `changes` was before the visitor was
   * admitted.
   */
  connect(
    visitor: Visitor,
    page: { id: number; owner_id: number },
    address: string,
    since = this.#changes,
  ): Connection {
    const key = `${page.id} ${address}`;
    const tabs = this.#tabs.get(key) ?? 0;
    if (tabs >= MAX_TABS_OF_ADDRESS)
      throw tooManyTabs(
        '{limit} tabs of this page are connected from your address, which is the limit. Try again later.',
        MAX_TABS_OF_ADDRESS,
      );
    const live = this.#open(page);
    if (live.connections.size >= MAX_TABS_OF_PAGE)
      throw tooManyTabs(
        '{limit} tabs of this page are connected at this server, which is the limit. Try again later.',
        MAX_TABS_OF_PAGE,
      );
    this.#tabs.set(key, tabs + 1);
    const connection = new Connection(visitor, {
      page: live,
      tab: `${this.#run}-${(++this.#lastTab).toString(36)}`,
      takeRequest: () => this.#takeRequest(live, visitor),
      takeDeliveries: (recipients) => this.takeDeliveries(live.ownerId, recipients, address),
      onClose: () => {
        live.connections.delete(connection);
        const left = (this.#tabs.get(key) ?? 1) - 1;
        if (left > 0) this.#tabs.set(key, left);
        else this.#tabs.delete(key);
        if (live.connections.size === 0) this.#close(live);
      },
    });
    live.connections.add(connection);
    if (this.#changes !== since) this.#check(live, () => [connection], 'login changed');
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_MS);
    return connection;
  }

  /** Delivers a line to a channel of a page at all nodes, also if nobody has the page open here. */
  publish(page: { id: number; owner_id: number }, channel: string, line: string): void {
    const live = this.#pages.get(page.id);
    const delivery = live?.channels.get(channel)?.delivery;
    if (delivery?.isFull) throw channelBusy();
    this.takeDeliveries(page.owner_id, (delivery?.size ?? 0) + 1);
    if (live) live.publish(channel, line);
    else sendToNodes(this.options.relay, page.id, channel, line);
  }

  /** Counts deliveries towards the rate limit of an owner's pages, or throws. */
  takeDeliveries(ownerId: number, recipients: number, address?: string): void {
    const waitMs =
      (address !== undefined && this.#addressBucket(ownerId, address).take(monotonic(), recipients)) ||
      this.#ownerBucket(ownerId).take(monotonic(), recipients);
    if (waitMs > 0)
      throw tooFast('This page sends too many messages. Send fewer, or several in one.', waitMs);
    this.#published++;
  }

  /** Checks who can still see a page. */
  accessChanged(pageId: number): void {
    this.#changes++;
    const page = this.#pages.get(pageId);
    if (!page || page.isCheckWaiting) return;
    page.isCheckWaiting = true;
    const all = () => {
      page.isCheckWaiting = false;
      return [...page.connections];
    };
    this.#check(page, all, 'access changed');
  }

  /** Checks the connections of somebody who has logged out somewhere. */
  loginsChanged(userId: number): void {
    this.#changes++;
    this.#each((page) => {
      const own = [...page.connections].filter(({ person }) => person.id === userId);
      if (own.length > 0) this.#check(page, () => own, 'login changed');
    });
  }

  /** Checks everybody: changes may have been missed. */
  checkAll(): void {
    for (const id of [...this.#pages.keys()]) this.accessChanged(id);
  }

  stop(): void {
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
    this.#each((page) => page.stop());
  }

  #open({ id, owner_id }: { id: number; owner_id: number }): ConnectedPage {
    const known = this.#pages.get(id);
    if (known) return known;
    const mayDeliver = (recipients: number) =>
      this.#ownerBucket(owner_id).take(monotonic(), recipients) === 0;
    const page = new ConnectedPage(id, owner_id, this.options.relay, {
      publish: this.options.publish,
      mayDeliver,
    });
    this.#pages.set(id, page);
    return page;
  }

  #close(page: ConnectedPage): void {
    if (this.#pages.get(page.id) !== page) return;
    this.#pages.delete(page.id);
    this.#deliveredBefore += page.delivered;
    page.stop();
  }

  #takeRequest(page: LivePage, { person }: Visitor): void {
    const key = `${page.id} ${person.id}`;
    let bucket = this.#visitors.get(key);
    if (!bucket) {
      bucket = new TokenBucket(LIVE_MESSAGES_PER_SECOND, LIVE_MESSAGES_AT_ONCE);
      this.#visitors.set(key, bucket);
    }
    const waitMs = bucket.take(monotonic());
    if (waitMs > 0)
      throw tooFast('A visitor can send {count} messages a second. Send fewer, or several in one.', waitMs, {
        count: LIVE_MESSAGES_PER_SECOND,
      });
  }

  #ownerBucket(ownerId: number): TokenBucket {
    let bucket = this.#owners.get(ownerId);
    if (!bucket) {
      bucket = new TokenBucket(DELIVERIES_PER_SECOND, DELIVERIES_AT_ONCE);
      this.#owners.set(ownerId, bucket);
    }
    return bucket;
  }

  #addressBucket(ownerId: number, address: string): TokenBucket {
    const key = `${ownerId} ${address}`;
    let bucket = this.#addresses.get(key);
    if (!bucket) {
      bucket = new TokenBucket(DELIVERIES_PER_SECOND / 2, DELIVERIES_AT_ONCE / 2);
      this.#addresses.set(key, bucket);
    }
    return bucket;
  }

  /** Checks connections of a page. `connections` is called when the earlier checks are done. */
  #check(page: LivePage, connections: () => Connection[], occasion: Occasion): void {
    const before = page.checking ?? Promise.resolve();
    const checking = before
      .then(() => recheck(connections(), occasion))
      .finally(() => {
        if (page.checking === checking) page.checking = undefined;
      });
    page.checking = checking;
  }

  #sweep(): void {
    const now = monotonic();
    for (const [key, bucket] of this.#visitors) if (bucket.isFull(now)) this.#visitors.delete(key);
    for (const [id, bucket] of this.#owners) if (bucket.isFull(now)) this.#owners.delete(id);
    for (const [key, bucket] of this.#addresses) if (bucket.isFull(now)) this.#addresses.delete(key);
    let checks = CHECKS_AT_ONCE;
    this.#each((page) => {
      const due: Connection[] = [];
      for (const connection of page.connections) {
        if (now - connection.keptAliveAt > KEEP_ALIVE_MS) connection.keepAlive();
        if (checks > 0 && this.#isDue(connection, now)) {
          due.push(connection);
          checks--;
        }
      }
      if (due.length > 0) void recheck(due, 'a while ago');
    });
    if (this.#pages.size > 0 || this.#visitors.size + this.#owners.size + this.#addresses.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #isDue({ checkedAt, visitor }: Connection, now: number): boolean {
    const hasEnded = visitor.endsAt !== null && visitor.endsAt <= this.options.now();
    return now - checkedAt > (hasEnded ? SWEEP_MS : CHECK_EVERY_MS);
  }

  #each(visit: (page: ConnectedPage) => void): void {
    for (const page of [...this.#pages.values()]) visit(page);
  }
}

const monotonic = () => Math.round(performance.now());
