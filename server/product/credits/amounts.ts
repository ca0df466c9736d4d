/** Fails unless an amount is a whole number: a fraction would be a bug that costs money. */
export function assertTokens(tokens: number, atLeast: 0 | 1): void {
  if (Number.isSafeInteger(tokens) && tokens >= atLeast) return;
  throw new RangeError(
    `${tokens} is not an amount of tokens, which is a whole number of at least ${atLeast}`,
  );
}
