/** How many in how many seconds. Zero points means no limit. */
export interface Rate {
  points: number;
  seconds: number;
}

/** Counts one kind of thing by key, in fixed windows. */
export interface Limit {
  /** Takes one, or refuses with 429. */
  take(key: string): Promise<void>;
  /** Gives one back: what it was taken for turned out not to count. */
  giveBack(key: string): Promise<void>;
}

/** Makes limits: for this process, or with Redis for all nodes together. */
export interface Limits {
  limit(name: string, rate: Rate, message: string): Limit;
  /** True for the first caller with this key within the time, false for every other. */
  claim(key: string, seconds: number): Promise<boolean>;
}
