/** A number of points per number of seconds. Zero points means no limit. */
export interface Rate {
  points: number;
  seconds: number;
}

/** Counts one kind of action by key, in fixed windows. */
export interface Limit {
  /** Takes points, one if not said otherwise, or rejects with 429. */
  take(key: string, points?: number): Promise<void>;
  /** Gives a point back, because the action turned out not to count. */
  giveBack(key: string): Promise<void>;
}

/** Makes limits: for this process, or with Redis for all nodes together. */
export interface Limits {
  /** The sentence for callers at the limit can have `{wait}` and `{points}`. */
  limit(name: string, rate: Rate, sentence: string): Limit;
  /** True for the first caller with this key within the time, false for all others. */
  claim(key: string, seconds: number): Promise<boolean>;
}
