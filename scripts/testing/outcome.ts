/** The result of a suite, or of a part of one. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** The sum of the times of its files. */
  milliseconds: number;
  /** At most one for each test that failed. */
  failures: Failure[];
}

export interface Failure {
  /** The full name of a test, or a command. */
  name: string;
  file?: string;
  /** The error with its position; empty if only the output has it. */
  error: string;
}

export const NOTHING: Outcome = { passed: 0, failed: 0, skipped: 0, milliseconds: 0, failures: [] };

export function failOnce(failure: Failure): Outcome {
  return { ...NOTHING, failed: 1, failures: [failure] };
}

export function add(...outcomes: Outcome[]): Outcome {
  return outcomes.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
      milliseconds: sum.milliseconds + one.milliseconds,
      failures: [...sum.failures, ...one.failures],
    }),
    NOTHING,
  );
}

/**
 * Adds what the tests themselves do not report: files in which no test ran, and a run that ended badly although no test
 * failed, for example because the process crashed after the last one.
 */
export function addUnreported(
  outcomes: Map<string, Outcome>,
  files: string[],
  problem: string | undefined,
): Map<string, Outcome> {
  const all = new Map(outcomes);
  const blame = (name: string, file: string): void => {
    all.set(file, add(all.get(file) ?? NOTHING, failOnce({ name, file, error: '' })));
  };
  for (const missing of files.filter((file) => !all.has(file))) blame('no test ran', missing);
  const { failed } = add(...all.values());
  const [first] = files;
  if (problem && failed === 0 && first) blame(`bun test ${problem}`, first);
  return all;
}
