import { DATABASE_HEADERS, formatMoved, type MovedTo, type MoveIn, parseMoved } from '../../protocol.ts';

/**
 * Where a database is while the number of shards changes. The database itself knows, so it does not matter what a node
 * believes: a place that the database has left says where it went, and runs nothing. A move has these steps:
 *
 * 1. `leaving`: the old place is locked for writers, and numbers the move.
 * 2. `arriving`: the new place gets the content. It still sends everyone to the old place.
 * 3. `left`: the old place is marked, in its own storage. From this moment the new place counts.
 * 4. Whoever comes from the marked place brings the number of the move, and with it the new place opens.
 *
 * If a process ends in between, the move begins again, or only its last step is missing.
 */

interface Stored {
  state: 'here' | 'arriving' | 'moved';
  /** The last move that this place knows of. An older one can no longer change it. */
  number: number;
  /** Where it comes from, or has gone. */
  shard?: number;
}

export const PLACE = 'quire:place';

/** Thrown instead of running anything in a database that is elsewhere. */
export class Moved extends Error {
  constructor(readonly to: MovedTo) {
    super(`the database is in shard ${to.shard}`);
  }

  respond(): Response {
    return new Response(null, { status: 503, headers: { [DATABASE_HEADERS.moved]: formatMoved(this.to) } });
  }
}

interface PlaceOptions {
  shard: number;
  storage: { put(key: string, value: unknown): Promise<void>; sync(): Promise<void> };
  isEmpty(): boolean;
  /** The shard that a database belongs to which nobody has moved. */
  findHome(): Promise<number>;
}

export class Place {
  /** True once it is clear that the database is here. Checked before each request. */
  isHere = false;

  constructor(
    private readonly options: PlaceOptions,
    private stored: Stored | undefined,
  ) {
    this.isHere = stored ? stored.state === 'here' : !options.isEmpty();
  }

  get movedTo(): MovedTo | undefined {
    const { stored } = this;
    return stored?.state === 'moved' ? { shard: stored.shard ?? 0, number: stored.number } : undefined;
  }

  /** Throws if the database is known to be elsewhere. Call this directly before something runs. */
  assertNotMoved(): void {
    if (this.movedTo) throw new Moved(this.movedTo);
  }

  /** Throws unless the database is here. Opens a place to which it has moved. */
  async admit(headers: Headers): Promise<void> {
    if (this.isHere) return;
    this.assertNotMoved();
    const proof = parseMoved(headers.get(DATABASE_HEADERS.moved));
    const sent = proof?.shard === this.options.shard ? proof.number : 0;
    const { stored } = this;
    if (stored?.state === 'arriving') {
      if (sent !== stored.number) throw new Moved({ shard: stored.shard ?? 0, number: 0 });
      void this.store({ state: 'here', number: stored.number });
      return;
    }
    // A database that nobody has used: another node may already use it in the shard where it belongs.
    const home = sent > 0 ? this.options.shard : await this.options.findHome();
    if (this.stored) return this.admit(headers);
    if (home !== this.options.shard) throw new Moved({ shard: home, number: 0 });
    this.isHere = true;
  }

  /** Numbers a move from here, whose lock has begun. */
  async leaving(): Promise<number> {
    const number = (this.stored?.number ?? 0) + 1;
    await this.store({ state: 'here', number });
    return number;
  }

  /** Marks that the database is elsewhere. Returns when this is certain. */
  async left(to: MovedTo): Promise<void> {
    await this.store({ state: 'moved', ...to });
    await this.options.storage.sync();
  }

  /** Whether this is the last move from here. */
  isLeaving(number: number): boolean {
    return this.stored?.state === 'here' && this.stored.number === number;
  }

  /** Prepares this place for the content; false if a later move has, or if the database is here. */
  async arriving({ from, number }: Pick<MoveIn, 'from' | 'number'>): Promise<boolean> {
    if (this.stored?.state === 'here' || number <= (this.stored?.number ?? 0)) return false;
    if (!this.stored && !this.options.isEmpty()) return false;
    await this.store({ state: 'arriving', number, shard: from });
    return true;
  }

  isArriving(number: number): boolean {
    return this.stored?.state === 'arriving' && this.stored.number === number;
  }

  /**
   * Whether the content of this place can be removed: once all nodes know where databases belong, or if the database was
   * removed. What is in memory stays: a request may have begun before the database moved.
   */
  canForget(isRemoved: boolean): boolean {
    return this.movedTo !== undefined || (isRemoved && this.stored?.state === 'arriving');
  }

  private store(stored: Stored): Promise<void> {
    this.stored = stored;
    this.isHere = stored.state === 'here';
    return this.options.storage.put(PLACE, stored);
  }
}
