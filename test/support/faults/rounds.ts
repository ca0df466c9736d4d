/** `npm run soak` runs each fault many times, `npm test` once. */
export const isSoak = process.env.QUIRE_TEST_SOAK === '1';

/** How often a test repeats its fault, or which cases it tries: the short value in `npm test`, the long one in a soak. */
export function rounds<T>(short: T, long: T): T {
  return isSoak ? long : short;
}

/** How long a test with many rounds may take. What hangs in `npm test` must not hold up everything else. */
export const ROUNDS_MS = rounds(180_000, 3_600_000);
