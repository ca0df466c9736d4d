import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Each error is thrown when the previous one has been logged. */
const PROGRAM = `
import { surviveStrayErrors } from ${JSON.stringify(join(import.meta.dir, 'last-resort.ts'))};
const steps = [
  () => void Promise.reject(new Error('one')),
  () => { throw new Error('two'); },
  async () => { throw new Error('three'); },
  () => { console.log('still here'); clearInterval(awake); },
];
const awake = setInterval(() => {}, 1000);
const next = () => setTimeout(steps.shift(), 1);
surviveStrayErrors({ error: ({ err }, text) => { console.log(text + ': ' + err.message); next(); } });
next();
`;

test('keeps running after uncaught errors, and logs them', async () => {
  const child = Bun.spawn([process.execPath, '--eval', PROGRAM], { stdout: 'pipe', stderr: 'pipe' });
  const output = await new Response(child.stdout).text();
  expect(output.trim().split('\n')).toEqual([
    'unhandled promise rejection: one',
    'uncaught exception: two',
    'unhandled promise rejection: three',
    'still here',
  ]);
  expect(await child.exited).toBe(0);
});
