import { expect, test } from 'bun:test';
import { DiskSpace } from './disk-space.ts';

test('a disk where nothing can be held back is reported once, not every second', () => {
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text), info: () => undefined };
  // No file can be made in `/proc`.
  const disk = new DiskSpace({ dataFolder: '/proc', log });
  for (let time = 0; time < 5; time++) disk.look();
  disk.stop();
  expect(warnings).toEqual([expect.stringContaining('No space on the disk is held back')]);
});
