/** What a benchmark gets. */
export interface Bench {
  /** A temporary folder that is removed when the benchmark ends. */
  folder: string;
  /** A temporary folder for all benchmarks of a run, for packages that take long to install. */
  sharedFolder: string;
  /** The first, or the second in a quick run. */
  pick<T>(full: T, quick: T): T;
  /** Runs this when the benchmark ends, even if it fails or is interrupted. */
  atEnd(stop: () => Promise<unknown>): void;
}
