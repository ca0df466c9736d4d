import { newestFirst, readName } from './names.ts';

/** How many backups are kept, and for how many days. */
export interface KeepBackups {
  count: number;
  days: number | undefined;
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Chooses which backups to delete after a new one is complete: those beyond the number to keep, and those that are too
 * old. Never the new one, and never the newest of which no damage is known.
 */
export function chooseOld(
  names: string[],
  { made, bad, keep, now }: { made: string; bad: ReadonlySet<string>; keep: KeepBackups; now: number },
): string[] {
  const sorted = newestFirst(
    names.map((name) => ({ name })),
    now,
  ).map(({ name }) => name);
  const lastGood = sorted.find((name) => !bad.has(name));
  const isSafe = (name: string) => name === made || name === lastGood;
  const tooMany = sorted.filter((name) => name !== made).slice(keep.count - 1);
  const tooOld = sorted.filter((name) => name !== made && isOlder(name, keep.days, now));
  // If all are too old at once, the clock may have jumped ahead. The next backup shows whether it stays there.
  const isJump = tooOld.length === sorted.filter((name) => name !== made).length;
  const old = new Set([...tooMany, ...(isJump ? [] : tooOld)]);
  return [...old].filter((name) => !isSafe(name));
}

function isOlder(name: string, days: number | undefined, now: number): boolean {
  return days !== undefined && (readName(name)?.startedAt ?? now) < now - days * DAY_MS;
}
