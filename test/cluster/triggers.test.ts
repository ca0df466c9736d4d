import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { receiveChanges } from '../support/functions/received-changes.ts';
import { readJobs } from '../support/functions/received-jobs.ts';
import { waitUntil } from '../support/server.ts';

/** Two nodes change the same records, and functions and addresses get the changes. */

let cluster: TwoNodes;
const [queue, address] = [receiveChanges(), receiveChanges()];
beforeAll(async () => {
  cluster = await twoNodes({ QUIRE_EGRESS_ALLOW: '127.0.0.1/32' });
}, 120_000);
afterAll(async () => {
  for (const each of [queue, address]) each.stop();
  await cluster.stop();
});

test('changes that two nodes make at once arrive once each, and those of a record in order', async () => {
  const owner = await cluster.a.user();
  const actions = ['create', 'update', 'delete'];
  const on = [
    { collection: 'orders', actions },
    { collection: 'orders', actions, url: address.url },
  ];
  const body = { slug: 'gets', code: queue.code(), on };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  const page = await owner.publish({ name: 'P', storage_mode: 'social_app', functions: ['gets'] });
  const path = `/api/pages/${page.id}/social-data/orders`;
  const nodes = [cluster.a, cluster.b] as const;
  const call = (at: number, method: string, to: string, data?: object) =>
    (at % 2 === 0 ? nodes[0] : nodes[1]).call(method, to, {
      token: owner.token,
      ...(data && { body: { data } }),
    });
  const ids = await Promise.all(
    Array.from(
      { length: 10 },
      async (_, n) => (await call(n, 'POST', path, { at: 'new' })).body.id as string,
    ),
  );
  const answers = await Promise.all(
    ids.flatMap((id) =>
      Array.from({ length: 6 }, (_, n) => call(n, 'PATCH', `${path}/${id}`, { at: `${id} ${n}` })),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await Promise.all(ids.map((id, n) => call(n, 'DELETE', `${path}/${id}`)));
  await waitUntil(async () => {
    const { waiting, running } = await readJobs(owner, 'gets');
    return waiting === 0 && running === 0;
  });
  for (const { got } of [queue, address]) {
    expect(got).toHaveLength(ids.length * 8);
    for (const id of ids) {
      const own = got.filter(({ record, before }) => (record ?? before)?.id === id);
      expect(own.map(({ before }) => before?.data.at)).toEqual([
        undefined,
        ...own.slice(0, -1).map(({ record }) => record?.data.at),
      ]);
      expect(own.at(-1)?.action).toBe('delete');
    }
  }
}, 120_000);
