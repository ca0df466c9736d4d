import type { OwnerId } from '../../workerd/index.ts';

/** Thrown when all places for cells are busy. */
export class PoolFullError extends Error {}

/** Thrown when an owner has the maximum number of cells and all of them are busy. */
export class OwnerShareError extends Error {
  constructor(readonly share: number) {
    super(`an owner has all ${share} cells of their share`);
  }
}

/** A place for one cell. */
export interface Place {
  owner: OwnerId;
  /** Frees the place. Further calls do nothing. */
  release(): void;
}

interface PlacesOptions {
  max: number;
  perOwner: number;
  /** Ends an idle cell (of this owner, if given) and frees its place. False if none is idle. */
  evict(owner?: OwnerId): boolean;
  /** Ends one of this owner's busy cells. Resolves when its place is free. */
  reclaim(owner: OwnerId): Promise<void>;
}

interface Waiter {
  owner: OwnerId;
  limit: number;
  deadline: number;
  resolve(place: Place): void;
  reject(error: Error): void;
}

/** How long a call waits for a place when it has to start a cell. */
const WAIT_MS = 2_000;
const LOOK_AGAIN_MS = 10;

/**
 * The places for cells, and which owners have them. No owner gets more than their share. When places run out, owners
 * with the fewest cells are served first, and the owner with the most loses one.
 */
export class Places {
  private readonly held = new Map<OwnerId, number>();
  private readonly waiters = new Set<Waiter>();
  private looking: ReturnType<typeof setInterval> | undefined;
  private count = 0;
  /** How many places will become free soon. */
  private reclaiming = 0;

  constructor(private readonly options: PlacesOptions) {}

  get size(): number {
    return this.count;
  }

  heldBy(owner: OwnerId): number {
    return this.held.get(owner) ?? 0;
  }

  /** Returns a place if one is free now. */
  tryTake(owner: OwnerId, limit = this.options.perOwner): Place | undefined {
    if (this.heldBy(owner) >= limit) return this.options.evict(owner) ? this.hold(owner) : undefined;
    const hasRoom = this.count < this.options.max || this.options.evict();
    return hasRoom ? this.hold(owner) : undefined;
  }

  /** Waits for a place if necessary. Replacing a cell briefly needs a second place, even if the share is one. */
  take(owner: OwnerId, isReplacing = false): Promise<Place> {
    const limit = isReplacing ? Math.max(2, this.options.perOwner) : this.options.perOwner;
    const place = this.isFirst(owner) ? this.tryTake(owner, limit) : undefined;
    if (place) return Promise.resolve(place);
    return new Promise((resolve, reject) => {
      this.waiters.add({
        ...{ owner, limit, resolve, reject },
        deadline: Date.now() + WAIT_MS,
      });
      this.looking ??= setInterval(() => this.look(), LOOK_AGAIN_MS);
      this.look();
    });
  }

  stop(): void {
    clearInterval(this.looking);
    for (const { reject } of this.waiters) reject(new PoolFullError());
    this.waiters.clear();
  }

  /** True if no waiter should be served before this owner. */
  private isFirst(owner: OwnerId): boolean {
    for (const waiter of this.waiters) if (this.heldBy(waiter.owner) <= this.heldBy(owner)) return false;
    return true;
  }

  private look(): void {
    // The sort is stable, so waiters of one owner keep their order.
    const inTurn = [...this.waiters].sort((a, b) => this.heldBy(a.owner) - this.heldBy(b.owner));
    let unserved = 0;
    for (const waiter of inTurn) {
      if (this.serve(waiter)) continue;
      if (this.heldBy(waiter.owner) < waiter.limit && ++unserved > this.reclaiming)
        this.reclaimFor(waiter.owner);
    }
    if (this.waiters.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  /** True if the waiter got a place or no longer waits. */
  private serve(waiter: Waiter): boolean {
    const { owner, limit } = waiter;
    const place = this.tryTake(owner, limit);
    if (place) {
      this.waiters.delete(waiter);
      waiter.resolve(place);
      return true;
    }
    if (Date.now() < waiter.deadline) return false;
    this.waiters.delete(waiter);
    const isOverShare = this.heldBy(owner) >= limit;
    waiter.reject(isOverShare ? new OwnerShareError(this.options.perOwner) : new PoolFullError());
    return true;
  }

  private reclaimFor(owner: OwnerId): void {
    const largest = this.largest();
    // The owner who loses a cell must not end up with fewer cells than the owner who gets it.
    if (this.heldBy(largest) < this.heldBy(owner) + 2) return;
    this.reclaiming++;
    void this.options.reclaim(largest).finally(() => {
      this.reclaiming--;
    });
  }

  private largest(): OwnerId {
    let largest: OwnerId = null;
    for (const [owner, count] of this.held) if (count > this.heldBy(largest)) largest = owner;
    return largest;
  }

  private hold(owner: OwnerId): Place {
    this.count++;
    this.held.set(owner, this.heldBy(owner) + 1);
    let isHeld = true;
    return {
      owner,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.count--;
        const left = this.heldBy(owner) - 1;
        if (left === 0) this.held.delete(owner);
        else this.held.set(owner, left);
      },
    };
  }
}
