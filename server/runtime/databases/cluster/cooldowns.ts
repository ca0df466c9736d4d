import { formatCooldowns, RUNS_FOR_OWNER } from '../../../../workers/protocol.ts';

const FIRST_MS = 30_000;
const MAX_MS = 3600_000;
/** After this long without another failure, an owner's next cooldown is the shortest again. */
const FORGET_MS = 2 * MAX_MS;

/**
 * Owners whose statements ended a host that many share. Nothing in workerd ends a statement except the end of its
 * process, so its owner must wait before the next statement, longer each time.
 */
export class Cooldowns {
  private readonly byOwner = new Map<number, { times: number; until: number }>();
  /** The owner whose statement the host ran last. */
  private lastOwner: number | undefined;

  constructor(private readonly now: () => number = Date.now) {}

  /** Reads a line that the host printed; false if the line is about something else. */
  readLine(line: string): boolean {
    if (!line.startsWith(RUNS_FOR_OWNER)) return false;
    this.lastOwner = Number(line.slice(RUNS_FOR_OWNER.length));
    return true;
  }

  /** The last statement has ended the host: its owner has to wait. Returns the owner, if known. */
  begin(): number | undefined {
    const owner = this.lastOwner;
    this.lastOwner = undefined;
    if (owner === undefined || !Number.isSafeInteger(owner)) return undefined;
    const before = this.byOwner.get(owner);
    const now = this.now();
    const times = before && now - before.until < FORGET_MS ? before.times + 1 : 1;
    this.byOwner.set(owner, { times, until: now + Math.min(MAX_MS, FIRST_MS * 4 ** (times - 1)) });
    return owner;
  }

  /** The cooldowns, in the format of a host's configuration. */
  format(): string {
    for (const [owner, { until }] of this.byOwner)
      if (this.now() - until > FORGET_MS) this.byOwner.delete(owner);
    return formatCooldowns([...this.byOwner].map(([owner, { until }]) => [owner, until] as const));
  }
}
