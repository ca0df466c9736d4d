/**
 * Owners whose statements ended a host that many share. Nothing in workerd ends a statement but the end of its process,
 * so whoever ran it has to rest before they run another: longer each time, since all others had to wait for it.
 */
export interface Rests {
  /** Takes note of a line that a host printed; false when it says nothing of this. */
  hear(line: string): boolean;
  /** Whoever ran a statement last has ended the host. */
  strike(): number | undefined;
  /** Who rests until when, in milliseconds since 1970, as a host reads it. */
  toText(): string;
}

/** How a host says whose statement it is about to run. */
export const RUNS = 'quire-runs ';

const FIRST_MS = 30_000;
const LONGEST_MS = 3600_000;
/** After so long without another, all is forgotten. */
const FORGET_MS = 2 * LONGEST_MS;

export function createRests(now: () => number = Date.now): Rests {
  const resting = new Map<number, { times: number; until: number }>();
  let runs: number | undefined;
  return {
    hear(line) {
      if (!line.startsWith(RUNS)) return false;
      runs = Number(line.slice(RUNS.length));
      return true;
    },
    strike() {
      const owner = runs;
      runs = undefined;
      if (owner === undefined || !Number.isSafeInteger(owner)) return undefined;
      const before = resting.get(owner);
      const times = before && now() - before.until < FORGET_MS ? before.times + 1 : 1;
      resting.set(owner, { times, until: now() + Math.min(LONGEST_MS, FIRST_MS * 4 ** (times - 1)) });
      return owner;
    },
    toText() {
      for (const [owner, { until }] of resting) if (now() - until > FORGET_MS) resting.delete(owner);
      return [...resting].map(([owner, { until }]) => `${owner}=${until}`).join(' ');
    },
  };
}

/** Until when an owner rests, in what `toText` told; 0 for one who does not. */
export function restOf(text: string, owner: string): number {
  const found = text.split(' ').find((entry) => entry.startsWith(`${owner}=`));
  return Number(found?.slice(owner.length + 1) ?? 0);
}
