import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileAsUsual } from '../../test/support/environment.ts';
import { loadBenchmark } from '../report/benchmarks.ts';
import { checkValues, type Report, roundValues } from '../report/figure.ts';

/**
 * Runs one benchmark in this process and writes its report to a file. Each has its own process, so that none leaves
 * cores, connections or memory to the next. Arguments: name, file, shared folder, "quick" or "full".
 */
async function runOne([name = '', file = '', sharedFolder = '', mode]: string[]): Promise<void> {
  const { figures, default: measure } = await loadBenchmark(name);
  compileAsUsual();
  const stack = new AsyncDisposableStack();
  // Once: neither a second Ctrl-C nor an error that the first one causes must interrupt the cleanup.
  let cleanup: Promise<void> | undefined;
  const interrupt = () => {
    cleanup ??= stack.disposeAsync().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const report = await measure({
      folder,
      sharedFolder,
      pick: (full, quick) => (mode === 'quick' ? quick : full),
      atEnd: (stop) => stack.defer(async () => void (await stop())),
    });
    checkValues(figures, report.values);
    const rounded: Report = { note: report.note, values: roundValues(figures, report.values) };
    writeFileSync(file, JSON.stringify(rounded));
  } finally {
    cleanup ??= stack.disposeAsync();
    await cleanup;
  }
}

if (import.meta.main) {
  try {
    await runOne(process.argv.slice(2));
    // A forgotten connection or timer must not keep the process running.
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    process.exit(1);
  }
}
