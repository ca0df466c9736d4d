import type { MailMessage } from './messages.ts';

const HOUR_MS = 3600 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** How many mails of one kind an address gets, so that nobody can fill the inbox of another. */
const PER_ADDRESS = { hour: 5, day: 20 };
/** Each page has its own, and an owner can have many. */
const OF_MANY_PAGES = { hour: 20, day: 200 };
/** An administrator can take down many things of one person, each for its own reason. */
const KINDS_OF_MANY_PAGES: ReadonlyArray<MailMessage['kind']> = [
  'form messages',
  'page taken down',
  'page restored',
  'function taken down',
  'function restored',
];
/**
 * An attacker can ask for these on behalf of somebody else, a few each hour. If that used up a whole day, the other would
 * have no link that works.
 */
const RESETS_PER_ADDRESS = { hour: 5, day: 120 };
/** Mail to people whom somebody names, about a page that they named too. */
export const KINDS_OF_SHARES: ReadonlyArray<MailMessage['kind']> = ['page shared', 'team invite'];
/** How many people one person can write to with all of them. */
export const SHARES_PER_DAY = 50;

export function isWithin(
  kind: MailMessage['kind'],
  { now, earlier }: { now: number; earlier: number[] },
): boolean {
  const limit = limitOf(kind);
  return earlier.length < limit.day && earlier.filter((at) => at > now - HOUR_MS).length < limit.hour;
}

export function limitOf(kind: MailMessage['kind']): { hour: number; day: number } {
  if (kind === 'password reset') return RESETS_PER_ADDRESS;
  return KINDS_OF_MANY_PAGES.includes(kind) ? OF_MANY_PAGES : PER_ADDRESS;
}
