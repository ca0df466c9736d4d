/** What came of a suite, or of a part of one. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** At most one for each that failed; a bun that crashed fails once, however many tests it did not run. */
  failures: Failure[];
  /** What failed once and then passed. */
  unsteady: Failure[];
}

export interface Failure {
  /** What failed: a test by its full name, or a tool. */
  name: string;
  file?: string;
  /** What was said about it; empty when only the output tells. */
  error: string;
}

export const NOTHING: Outcome = { passed: 0, failed: 0, skipped: 0, failures: [], unsteady: [] };

export function failOnce(failure: Failure): Outcome {
  return { ...NOTHING, failed: 1, failures: [failure] };
}

export function add(...outcomes: Outcome[]): Outcome {
  return outcomes.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
      failures: [...sum.failures, ...one.failures],
      unsteady: [...sum.unsteady, ...one.unsteady],
    }),
    NOTHING,
  );
}

/** A second failure is a failure; what only failed the first time is unsteady. */
export function judge(first: Outcome, second: Outcome): Outcome {
  const isBack = ({ name }: Failure) => second.failures.some((failure) => failure.name === name);
  return { ...second, unsteady: first.failures.filter((failure) => !isBack(failure)) };
}
