import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rounds } from '../support/faults/rounds.ts';
import { type ReceivedChange, receiveChanges } from '../support/functions/received-changes.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, waitUntil } from '../support/server.ts';

const changes = receiveChanges();
/** Gets what is sent to the address of a trigger. */
const posted = receiveChanges();
afterAll(() => {
  changes.stop();
  posted.stop();
});

const settings = { QUIRE_EGRESS_ALLOW: '127.0.0.1/32', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' };
const ROUNDS = rounds(2, 50);
const RECORDS = 6;
const PER_ROUND = 5;

test(
  'every change that was stored arrives, and those of a record in order, however often the server is killed',
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-triggers-'));
    const start = () => startServer({ dataFolder, settings });
    try {
      let server = await start();
      const { token } = await register(server, 'owner');
      const on = [{ collection: 'orders', actions: ['create', 'update'] }];
      const fn = { slug: 'worker', code: changes.code(), on };
      const hook = {
        slug: 'hook',
        code: 'export default { fetch() { return new Response(); } };',
        on: [{ ...on[0], url: posted.url }],
      };
      for (const body of [fn, hook])
        expect((await call(server, 'POST', '/api/functions', { token, body })).status).toBe(201);
      const page = {
        name: 'P',
        html_content: '<p>',
        storage_mode: 'social_app',
        functions: ['worker', 'hook'],
      };
      const made = await call(server, 'POST', '/api/pages', { token, body: page });
      const path = `/api/pages/${made.body.page.id}/social-data/orders`;
      const ids: string[] = [];
      for (let n = 0; n < RECORDS; n++) {
        const { body } = await call(server, 'POST', path, { token, body: { data: { at: 0 } } });
        ids.push(body.id);
      }
      for (let round = 0; round < ROUNDS; round++) {
        const before = [changes, posted].map(({ got }) => got.length);
        const writing = ids.map(async (id) => {
          for (let n = 1; n <= PER_ROUND; n++) {
            const body = { data: { at: round * PER_ROUND + n } };
            // Those that the server was killed with may be stored or not.
            await call(server, 'PATCH', `${path}/${id}`, { token, body }).catch(() => undefined);
          }
        });
        // Some have arrived, some are on their way, and some are being stored.
        await Promise.all(
          [changes, posted].map((each, at) => each.until((got) => got.length > (before[at] ?? 0))),
        );
        await server.kill();
        await Promise.all(writing);
        server = await start();
      }
      for (const slug of ['worker', 'hook'])
        await waitUntil(async () => {
          const jobs = `/api/functions/${slug}/jobs?state=waiting`;
          const { body: left } = await call(server, 'GET', jobs, { token });
          return left.waiting === 0 && left.running === 0 && left.failed === 0;
        });
      for (const id of ids) {
        const { body } = await call(server, 'GET', `${path}/${id}`, { token });
        for (const { got } of [changes, posted]) expectInOrder(got, id, body.data);
      }
      await server.stop();
    } finally {
      rmSync(dataFolder, { recursive: true, force: true });
    }
  },
  120_000 + ROUNDS * 30_000,
);

/** Every change of a record has come, up to its last data. */
function expectInOrder(all: ReceivedChange[], id: string, data: unknown): void {
  const got = all.filter(({ record }) => record?.id === id);
  expect(got.at(-1)?.record?.data).toEqual(data as never);
  // A change can come again, and then with those after it. Each follows the one that it was made on.
  const seen: unknown[] = [];
  for (const { before, record } of got) {
    if (seen.includes(record?.data.at)) continue;
    expect(before?.data.at).toEqual(seen.at(-1) as never);
    seen.push(record?.data.at);
  }
}
