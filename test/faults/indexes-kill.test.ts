import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Ask,
  assertFound,
  assertIndexed,
  fillOrders,
  makeOrder,
  readProgress,
  setIndexes,
  untilReady,
} from '../support/data/indexed.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer } from '../support/server.ts';

const ROUNDS = rounds(2, 20);
const RECORDS = 4_000;

test(
  'indexes and a search are whole after a server was killed while it built them, with what was written meanwhile',
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-indexes-'));
    let server = await startServer({ dataFolder });
    try {
      const { token } = await register(server, 'owner');
      const { id } = await publish(server, token, { storage_mode: 'social_app' });
      const orders = `/api/pages/${id}/social-data/orders`;
      const ask: Ask = (method, path, options = {}) => call(server, method, path, { token, ...options });
      await fillOrders(ask, orders, RECORDS);
      let written = RECORDS;
      for (let round = 0; round < ROUNDS; round++) {
        await setIndexes(ask, orders);
        for (let progress = await readProgress(ask, orders); ; progress = await readProgress(ask, orders)) {
          if (progress.percent > 0) break;
        }
        // Some of these are stored, and the server dies with the others.
        const writes = Array.from({ length: 20 }, (_, n) =>
          ask('POST', orders, { body: { data: makeOrder(written + n) } }),
        );
        written += writes.length;
        await Promise.race(writes);
        expect((await readProgress(ask, orders)).isReady).toBeFalse();
        await server.kill();
        await Promise.allSettled(writes);
        server = await startServer({ dataFolder });
        await untilReady(ask, orders);
        const all = await assertIndexed(ask, orders);
        const [first, second] = all;
        if (!first || !second) throw new Error('there are no records');
        const changed = { title: `changed${round}x`, status: 'late', price: -round };
        await ask('PATCH', `${orders}/${first.id}`, { body: { data: changed } });
        await ask('DELETE', `${orders}/${second.id}`);
        await assertFound(ask, orders, await assertIndexed(ask, orders), changed.title);
        await setIndexes(ask, orders, false);
      }
    } finally {
      await server.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    }
  },
  120_000 + ROUNDS * 60_000,
);
