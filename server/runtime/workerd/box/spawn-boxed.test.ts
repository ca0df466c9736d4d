import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRuntime, type Runtime } from '../runtime.ts';
import { launch } from './sandbox.ts';
import { spawnBoxed } from './spawn-boxed.ts';

let runtime: Runtime;
beforeAll(async () => {
  runtime = await createRuntime(`spawn-boxed test ${process.pid}`, 'auto');
});
afterAll(() => runtime.stop());

/** The time in which bwrap starts what is in the box. */
const START_MS = 60;

test('a box whose first process is killed while it starts leaves nothing behind', async () => {
  const folders = (name: string) => ({
    folder: runtime.makeFolder(name, undefined),
    mountPoint: runtime.makeFolder(`${name}-mount`, undefined),
  });
  for (let round = 0; round < 12; round++) {
    const ends = Array.from({ length: 4 }, async (_, index) => {
      const user = runtime.sandbox.users?.next();
      const data = folders(`data-${round}-${index}`);
      const box = {
        kind: 'databases' as const,
        user,
        readOnly: [],
        writable: [],
        data,
        program: '/bin/sleep',
      };
      const system = ['/bin', '/lib', '/lib64', '/usr'].map((path): [string, string] => [path, path]);
      const child = spawnBoxed(launch(runtime.sandbox, { ...box, readOnly: system }, ['1000']), {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout?.resume();
      child.stderr?.resume();
      // Whatever is left has these pipes open.
      const closed = once(child, 'close');
      await sleep(START_MS * Math.random());
      child.kill('SIGKILL');
      await closed;
      return child.signalCode;
    });
    expect(await Promise.all(ends)).toEqual(Array(4).fill('SIGKILL'));
  }
}, 30_000);
