import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hang, LONG_HANGS } from '../support/faults/hangs.ts';
import { rounds } from '../support/faults/rounds.ts';
import { type FunctionServer, helpers, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

/**
 * On one machine, the processes that run functions hang for a while, and continue or are replaced by
 * themselves.
 */

const KEEPER = `export default { async fetch(request, env) {
  const { id } = await request.json();
  await env.DB.prepare('insert or ignore into kept (id) values (?)').bind(id).run();
  return new Response('kept');
} };`;
const RECOVER_MS = 60_000;

let server: FunctionServer;
let slug: string;
beforeAll(async () => {
  server = await startFunctionServer();
  slug = await server.deploy(KEEPER, { enableDatabase: true });
  await server.sql(slug, 'create table kept (id integer primary key)');
}, 120_000);
afterAll(() => server?.kill());

const findHelpers = (kind: string) => () =>
  helpers(server)
    .filter((helper) => helper.kind === kind)
    .map(({ pid }) => pid);

/** How many seconds each hangs, except in a soak. */
const PARTS: Array<[string, number]> = [
  ['cell', 3],
  ['database host', 12],
  ['egress', 3],
];

describe.each(PARTS)('a %s', (kind, usual) => {
  test.each(rounds([usual], LONG_HANGS))(
    'hangs for %p seconds, and nothing that was acknowledged is lost',
    async (seconds) => {
      const acknowledged: number[] = [];
      let next = Math.floor(Math.random() * 1e9);
      let isOver = false;
      const calling = (async () => {
        while (!isOver) {
          const id = next++;
          const answer = await server
            .call(slug, { body: { id }, timeoutMs: RECOVER_MS })
            .catch(() => undefined);
          if (answer?.status === 200) acknowledged.push(id);
          else await Bun.sleep(100);
        }
      })();
      await waitUntil(async () => acknowledged.length > 3);
      await hang(findHelpers(kind), seconds);
      const before = acknowledged.length;
      await waitUntil(async () => acknowledged.length > before + 3, RECOVER_MS);
      isOver = true;
      await calling;
      const { body } = await server.sql(slug, 'select id from kept');
      const kept = new Set(body.results.map(({ id }: { id: number }) => id));
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    },
    180_000,
  );
});
