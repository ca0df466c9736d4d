import { expect, test } from 'bun:test';
import { join } from 'node:path';

const PROGRAM = `
import { surviveStrayErrors } from ${JSON.stringify(join(import.meta.dir, 'last-resort.ts'))};
surviveStrayErrors({ error: ({ err }, text) => console.log(text + ': ' + err.message) });
void Promise.reject(new Error('one'));
setTimeout(() => { throw new Error('two'); }, 1);
setTimeout(async () => { throw new Error('three'); }, 2);
setTimeout(() => console.log('still here'), 20);
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
