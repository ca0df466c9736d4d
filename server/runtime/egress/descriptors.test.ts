import { expect, test } from 'bun:test';
import { shareDescriptors } from './descriptors.ts';

const wish = { connections: 4096, connectionsPerOwner: undefined, cellsPerOwner: 16 };

test('an owner gets a quarter of the connections, and cells get enough descriptors for them', () => {
  expect(shareDescriptors({ ...wish, available: 1_048_576 })).toEqual({
    egress: 1_048_576,
    cell: 2048,
    connections: { total: 4096, perOwner: 1024 },
  });
  expect(shareDescriptors({ ...wish, connectionsPerOwner: 7, available: 65_536 }).connections.perOwner).toBe(
    7,
  );
});

test.each([4_096, 8_192, 20_000, 65_536])(
  'all connections of one owner fit into an egress with %d descriptors',
  (available) => {
    const { egress, cell, connections } = shareDescriptors({ ...wish, available });
    expect(egress).toBe(available);
    expect(4 * connections.total).toBeLessThan(available);
    if (cell > 256) expect(wish.cellsPerOwner * cell + 3 * connections.perOwner).toBeLessThan(available);
  },
);
