import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../support/app.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { readSql, runSql } from '../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';

/** Two nodes look for branches that nobody uses at the same time. */

const DAY = 24 * 3600 * 1000;

let smtp: TestSmtp;
let nodes: TwoNodes;
let owner: TestUser;
beforeAll(async () => {
  smtp = await startSmtp();
  nodes = await twoNodes({ QUIRE_SMTP_URL: smtp.url, QUIRE_MAIL_FROM: 'quire@example.com' });
  owner = await nodes.a.user('owner');
  await runSql(
    nodes.a,
    `update users set email_confirmed_at = 1 where id = ${owner.id}`,
    // The test takes weeks.
    `update tokens set expires_at = ${Date.now() + 100 * DAY}`,
  );
}, 60_000);
afterAll(async () => {
  await nodes?.stop();
  await smtp?.stop();
});

/** Lets time pass on both nodes, which then sweep at once. */
async function pass(milliseconds: number) {
  for (const node of [nodes.a, nodes.b]) node.advance(milliseconds);
  await Promise.all([nodes.a, nodes.b].flatMap((node) => [node.app.sweep(), node.app.sweep()]));
}

test('its owner gets one mail, and it is deleted once', async () => {
  const page = await owner.publish({ name: 'Menu' });
  const at = `/api/pages/${page.id}/branches`;
  for (const name of ['idle', 'old', 'kept']) {
    const { status } = await owner.call('POST', at, { body: { name, data: 'schema' } });
    expect(status).toBe(201);
  }
  const list = async () =>
    (await owner.call('GET', at)).body.branches.map(
      ({ name, ends_at }: { name: string; ends_at: string | null }) => [name, ends_at !== null],
    );
  await pass(60_000);
  await pass(31 * DAY);
  expect(await list()).toEqual([
    ['idle', true],
    ['old', true],
    ['kept', true],
  ]);
  const [row] = await readSql<{ n: number }>(
    nodes.a,
    `select count(*) as n from mails where kind = 'branch unused'`,
  );
  expect(Number(row?.n)).toBe(3);
  expect((await owner.call('PATCH', `${at}/kept`, { body: {} })).body.ends_at).toBeNull();
  await pass(7 * DAY);
  expect(await list()).toEqual([['kept', false]]);
  const { pages } = (await owner.call('GET', '/api/home')).body;
  expect(pages).toBe(2);
  for (const { logs } of [nodes.a, nodes.b])
    expect(logs.filter((line) => line.includes('could not purge'))).toEqual([]);
}, 60_000);
