import type { OwnerId } from '../workerd/index.ts';

/** The server's own lane, for URLs that visitors provide. */
export const SERVER_LANE = 0;

/** Assigns a lane of the egress to each owner with running cells. */
export interface Lanes {
  take(owner: OwnerId): { lane: number; release(): void };
}

/** Lanes 1 to `count`: as many as there can be owners at the same time. */
export function createLanes(count: number): Lanes {
  const free = Array.from({ length: count }, (_, index) => count - index);
  const owners = new Map<OwnerId, { lane: number; cells: number }>();
  return {
    take(owner) {
      const held = owners.get(owner) ?? { lane: free.pop() ?? 0, cells: 0 };
      if (held.lane === 0) throw new Error('every lane of the egress is taken');
      owners.set(owner, held);
      held.cells++;
      let isHeld = true;
      return {
        lane: held.lane,
        release() {
          if (!isHeld) return;
          isHeld = false;
          if (--held.cells > 0) return;
          owners.delete(owner);
          free.push(held.lane);
        },
      };
    },
  };
}
