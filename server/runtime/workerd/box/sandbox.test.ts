import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, type Runtime } from '../runtime.ts';
import { launch } from './sandbox.ts';
import { spawnBoxed } from './spawn-boxed.ts';

let runtime: Runtime;
let folder: string;
beforeAll(async () => {
  runtime = await createRuntime(`sandbox test ${process.pid}`, 'auto');
  folder = mkdtempSync(join(tmpdir(), 'quire-sandbox-'));
  chmodSync(folder, 0o755);
});
afterAll(() => {
  runtime.stop();
  rmSync(folder, { recursive: true });
});

test('runs a program in a folder that the sandbox replaces', async () => {
  const binary = join(folder, 'workerd');
  copyFileSync(runtime.binary, binary);
  chmodSync(binary, 0o755);
  const user = runtime.sandbox.users?.next();
  const data = join(folder, 'data');
  mkdirSync(data);
  const box = {
    kind: 'databases' as const,
    user,
    readOnly: [],
    writable: [],
    data: { folder: data, mountPoint: runtime.makeFolder('data', user) },
    tempBytes: 1024 * 1024,
  };
  const child = spawnBoxed(launch({ ...runtime.sandbox, binary }, box, ['--version']), {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'close')).toEqual([0, null]);
});
