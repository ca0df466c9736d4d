import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Egress } from '../egress/index.ts';
import { MemoryFloor, startBoxes } from '../workerd/index.ts';
import { prepareCell } from './cell-files.ts';
import { ServiceSocket } from './service-socket.ts';

test('a cell that cannot be prepared releases its database', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-cell-files-'));
  const { runtime, network, stop } = await startBoxes({ dataFolder, sandbox: 'auto' });
  const egress = new Egress({
    ...{ runtime, network, allow: [], owners: 1, maxDescriptors: 64 },
    connections: { total: 1, perOwner: 1 },
    onLine: () => undefined,
  });
  // The egress does not start any more.
  await egress.stop();
  let released = 0;
  const database = { folder: '', name: '', owner: '', group: undefined, key: '', release: () => released++ };
  const preparing = prepareCell(
    {
      services: new ServiceSocket({ runtime, group: egress.group, onLine: () => undefined }),
      ...{ runtime, egress, groups: undefined, maxDescriptors: 64, floor: new MemoryFloor() },
      limits: { cpuMs: 1_000, memoryMegabytes: 64 },
    },
    'cell-1',
    1,
    { code: '', secrets: {}, database },
    () => undefined,
  );
  await expect(preparing).rejects.toThrow('The server is stopping.');
  expect(released).toBe(1);
  await stop();
  rmSync(dataFolder, { recursive: true });
});
