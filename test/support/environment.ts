/**
 * What programs that tests start get from our environment: nothing but where programs and temporary files are. Settings
 * of a Quire that the developer runs must not reach them.
 */
export const environment: Record<string, string | undefined> = {
  PATH: process.env.PATH,
  ...(process.env.TMPDIR && { TMPDIR: process.env.TMPDIR }),
  ...compileLate(),
};

/** Lets programs compile their code as they do for operators. For benchmarks, which measure that. */
export function compileAsUsual(): void {
  for (const name of Object.keys(compileLate())) delete environment[name];
}

function compileLate(): Record<string, string> {
  // Bun compiles code that has run a few hundred times. Most of these programs end before that has paid off, and a start
  // takes a third less CPU time if only what runs very often is compiled, and optimized even later.
  return {
    BUN_JSC_thresholdForJITAfterWarmUp: '20000',
    BUN_JSC_thresholdForJITSoon: '20000',
    BUN_JSC_thresholdForOptimizeAfterWarmUp: '20000',
    BUN_JSC_thresholdForOptimizeSoon: '20000',
  };
}
