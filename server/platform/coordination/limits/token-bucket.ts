/** Allows so many a second on average, and so many at once after a pause. */
export class TokenBucket {
  /** In thousandths of a token, so that whole milliseconds give whole numbers. */
  private tokens: number;
  private at: number | undefined;

  constructor(
    private readonly perSecond: number,
    private readonly atOnce: number,
  ) {
    this.tokens = atOnce * 1000;
  }

  /**
   * Takes tokens and returns 0, or takes nothing and returns the milliseconds until they would be there. More than
   * `atOnce` are given to a full bucket, which then owes them.
   */
  take(now: number, amount = 1): number {
    this.refill(now);
    const needed = Math.min(amount, this.atOnce) * 1000;
    if (this.tokens < needed) return Math.ceil((needed - this.tokens) / this.perSecond);
    this.tokens -= amount * 1000;
    return 0;
  }

  /** True if a new bucket would behave in the same way. */
  isFull(now: number): boolean {
    this.refill(now);
    return this.tokens >= this.atOnce * 1000;
  }

  private refill(now: number): void {
    const elapsed = Math.max(0, now - (this.at ?? now));
    this.tokens = Math.min(this.atOnce * 1000, this.tokens + elapsed * this.perSecond);
    this.at = now;
  }
}
