/** Thrown while a function that was killed repeatedly must wait before it can start again. */
export class BackoffError extends Error {
  constructor(readonly seconds: number) {
    super(`starts again in ${seconds} s`);
  }
}

/** Two deaths in a minute cause no wait. Each further death doubles the wait, up to 30 seconds. */
export function backoffSeconds(deaths: number[]): number {
  const last = deaths.at(-1);
  if (last === undefined || deaths.length < 3) return 0;
  const waitMs = Math.min(30_000, 500 * 2 ** (deaths.length - 3)) - (Date.now() - last);
  return waitMs > 0 ? Math.ceil(waitMs / 1000) : 0;
}
