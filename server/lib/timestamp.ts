const DAY_MS = 24 * 3600 * 1000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** The date of the last converted time, as in `2026-11-16T`. Most times in a response are of the same day. */
let lastDay = Number.NaN;
let lastDate = '';

/** Converts a stored time (milliseconds) to wire format. Three times as fast as `toISOString`: lists have many times. */
export function toTimestamp(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_MS);
  if (day !== lastDay) {
    lastDate = new Date(milliseconds).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const inDay = Math.trunc(milliseconds) - day * DAY_MS;
  const seconds = Math.floor(inDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${lastDate}${time}.${THREE_DIGITS[inDay % 1000]}Z`;
}
