import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { README } from '../report/benchmarks.ts';
import { readResults } from '../report/results.ts';

const TIMEOUT_MS = 120_000;

/** Runs benchmarks without any of the programs that they need. */
async function runWithoutPrograms(...words: string[]) {
  const child = Bun.spawn([process.execPath, '--no-install', join(import.meta.dir, '../run.ts'), ...words], {
    env: { PATH: '/nowhere', HOME: '/nowhere' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, output, errors };
}

test(
  'a benchmark that cannot finish fails the run, and the others still run',
  async () => {
    const before = [readFileSync(README, 'utf8'), readResults()];
    const { exitCode, output, errors } = await runWithoutPrograms('call-function', 'cold-start');
    expect(exitCode).toBe(1);
    expect(output).toContain('## cold-start');
    expect(output).toContain('0 of 2 benchmarks');
    expect(errors).toContain('apt-get install');
    expect(errors).toContain('Failed: call-function, cold-start');
    expect([readFileSync(README, 'utf8'), readResults()]).toEqual(before);
  },
  TIMEOUT_MS,
);

test(
  'an unknown benchmark is refused before anything runs',
  async () => {
    const { exitCode, output, errors } = await runWithoutPrograms('cold-start', 'nothing');
    expect(exitCode).toBe(1);
    expect(output).toBe('');
    expect(errors).toContain(
      'No benchmark is called nothing. There are: attack-beside-wapiti, call-function,',
    );
  },
  TIMEOUT_MS,
);
