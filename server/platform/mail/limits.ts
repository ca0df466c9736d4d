import type { MailMessage } from './messages.ts';

const HOUR_MS = 3600 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** How many mails of one kind an address gets, so that nobody can fill the inbox of another. */
const PER_ADDRESS = { hour: 5, day: 20 };
/** Limits for mail that each page causes by itself: an owner can have many pages. */
const OF_MANY_PAGES = { hour: 20, day: 200 };
/** Mail that many pages of one owner can cause, or an administrator who takes many things down. */
const KINDS_OF_MANY_PAGES: ReadonlyArray<MailMessage['kind']> = [
  'form messages',
  'function mail',
  'page reported',
  'your page reported',
  'branch unused',
  'page taken down',
  'page restored',
  'function taken down',
  'function restored',
];
/**
 * Limits for links to set a new password. An attacker can ask for them on behalf of somebody else, a few each
 * hour. If that used up a whole day, the other would have no link that works.
 */
const RESETS_PER_ADDRESS = { hour: 5, day: 120 };
/** Mail to people whom somebody names, about a page that they named too. */
export const KINDS_OF_SHARES: ReadonlyArray<MailMessage['kind']> = ['page shared', 'team invite'];
/** How many people one person can send links of pages to in a day. */
export const SHARES_PER_DAY = 50;

export function isWithin(
  kind: MailMessage['kind'],
  { now, earlier }: { now: number; earlier: number[] },
): boolean {
  const limit = chooseLimit(kind);
  return earlier.length < limit.day && earlier.filter((at) => at > now - HOUR_MS).length < limit.hour;
}

export function chooseLimit(kind: MailMessage['kind']): { hour: number; day: number } {
  if (kind === 'password reset') return RESETS_PER_ADDRESS;
  return KINDS_OF_MANY_PAGES.includes(kind) ? OF_MANY_PAGES : PER_ADDRESS;
}
