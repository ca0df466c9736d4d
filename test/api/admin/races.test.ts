import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { rounds } from '../../support/faults/rounds.ts';

/** Administrators and owners who do things at the same moment. */

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

const users = '/api/admin/users';

/** Two administrators, and nobody else. */
async function twoAdministrators(): Promise<[Administrator, Administrator]> {
  await runSql(quire, 'update users set is_admin = 0');
  return [await administrator(quire), await administrator(quire)];
}

async function active(): Promise<number> {
  const text = `select count(*) as n from users where is_admin = 1 and suspended_at is null and removal_due_at is null`;
  const [row] = await readSql<{ n: number | string }>(quire, text);
  return Number(row?.n);
}

test('two administrators cannot remove each other', async () => {
  const ways = [
    (by: Administrator, whom: TestUser) => by.admin('POST', `${users}/${whom.id}/demote`),
    (by: Administrator, whom: TestUser) => by.admin('POST', `${users}/${whom.id}/suspend`, { reason: 'x' }),
    (by: Administrator, whom: TestUser) => by.admin('DELETE', `${users}/${whom.id}`),
  ];
  for (let round = 0; round < rounds(2, 50); round++) {
    for (const one of ways) {
      for (const other of ways) {
        const [a, b] = await twoAdministrators();
        const answers = await Promise.all([one(a, b), other(b, a)]);
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses[0]).toBe(200);
        // The second is refused as the last one, or comes too late to be an administrator at all.
        expect([401, 403, 409]).toContain(Number(statuses[1]));
        expect(await active()).toBe(1);
      }
    }
  }
});

test('an administrator alone can be neither demoted nor suspended', async () => {
  const [a, b] = await twoAdministrators();
  expect((await a.admin('POST', `${users}/${b.id}/demote`)).status).toBe(200);
  expect(await a.admin('POST', `${users}/${a.id}/demote`)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('only administrator') },
  });
  // One who is suspended does not count.
  await a.admin('POST', `${users}/${b.id}/promote`);
  expect((await a.admin('POST', `${users}/${b.id}/suspend`, { reason: 'x' })).status).toBe(200);
  expect((await a.admin('POST', `${users}/${a.id}/demote`)).status).toBe(409);
  await a.admin('POST', `${users}/${b.id}/restore`);
  expect((await a.admin('POST', `${users}/${a.id}/demote`)).status).toBe(200);
});

test('what a user creates while they are suspended is blocked or refused', async () => {
  const [boss] = await twoAdministrators();
  for (let round = 0; round < rounds(3, 50); round++) {
    const user = await quire.user();
    const creating = Array.from({ length: 6 }, (_, n) =>
      user.call('POST', '/api/pages', { body: { name: `Race ${round} ${n}`, html_content: '<p>late' } }),
    );
    const suspending = boss.admin('POST', `${users}/${user.id}/suspend`, { reason: 'x' });
    const [answer, ...created] = await Promise.all([suspending, ...creating]);
    expect(answer.status).toBe(200);
    for (const { status, body } of created) {
      expect([201, 401, 403]).toContain(status);
      if (status === 201) expect((await quire.request(`/p/${body.page.slug}`)).status).toBe(403);
    }
    const open = `select id from pages where owner_id = ${user.id} and owner_blocked_at is null`;
    expect(await readSql(quire, open)).toEqual([]);
  }
});
