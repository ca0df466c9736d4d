/** Amounts come from our own code and from parsed values. A fraction here would be a bug that costs money. */
export function assertTokens(tokens: number, atLeast: 0 | 1): void {
  if (Number.isSafeInteger(tokens) && tokens >= atLeast) return;
  throw new RangeError(
    `${tokens} is not an amount of tokens, which is a whole number of at least ${atLeast}`,
  );
}
