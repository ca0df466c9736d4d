import { expect, test } from 'bun:test';
import { join } from 'node:path';

const LOG = join(import.meta.dir, 'log.ts');

test('lines are written in order, also those from just before the process exits', () => {
  const script = `
    const { createLog } = await import(${JSON.stringify(LOG)});
    const log = createLog('info');
    log.info('first');
    await new Promise(setImmediate);
    log.info('second');
    log.info('third');
    process.exit(0);
  `;
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, '-e', script]);
  const lines = stdout.toString().trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'first',
    'second',
    'third',
  ]);
  expect(exitCode).toBe(0);
});
