/** Thrown while a function that keeps being killed has to wait before it may start again. */
export class BackoffError extends Error {
  constructor(readonly seconds: number) {
    super(`starts again in ${seconds} s`);
  }
}

/** Two deaths in a minute are forgiven; each further one doubles the wait, up to half a minute. */
export function backoffSeconds(deaths: number[]): number {
  const last = deaths.at(-1);
  if (last === undefined || deaths.length < 3) return 0;
  const waitMs = Math.min(30_000, 500 * 2 ** (deaths.length - 3)) - (Date.now() - last);
  return waitMs > 0 ? Math.ceil(waitMs / 1000) : 0;
}
