/** A number of points per number of seconds. Zero points means no limit. */
export interface Rate {
  points: number;
  seconds: number;
}

/** Counts one kind of action by key, in fixed windows. */
export interface Limit {
  /** Takes points, one if not said otherwise, or rejects with 429. With 0 it only rejects if the limit was exceeded. */
  take(key: string, points?: number): Promise<void>;
  /** Gives points back, one if not said otherwise, because the action turned out not to count. */
  giveBack(key: string, points?: number): Promise<void>;
}

/** Makes limits: for this process, or with Redis for all nodes together. */
export interface Limits {
  /** The sentence for callers at the limit can have `{wait}` and `{points}`. */
  limit(name: string, rate: Rate, sentence: string): Limit;
  /** True for the first caller with this key within the time, false for all others. */
  claim(key: string, seconds: number): Promise<boolean>;
}
