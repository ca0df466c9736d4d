import { expect, test } from 'bun:test';
import { createLimits } from '../../../platform/coordination/limits/index.ts';
import type { Asker, ServicesContext } from './context.ts';
import { createMailService } from './mail.ts';

/** The service of a page whose team has so many members besides the owner. All have confirmed their addresses. */
function start(members: number, isTaken: () => boolean = () => true) {
  const sent: string[] = [];
  const team = Array.from({ length: members }, (_, index) => ({ userId: index + 2, username: `m${index}` }));
  const context = {
    db: { transaction: () => ({ execute: (work: (tx: object) => unknown) => work({}) }) },
    limits: createLimits(),
    visitors: { findAgain: async () => ({ userId: 1, username: 'owner' }) },
    listTeam: async () => team,
    listConfirmedEmails: async (_: unknown, ids: number[]) => ids.map((id) => `${id}@example.com`),
    findReachable: async () => ({ userId: 1, email: '1@example.com' }),
    pages: { resolveRole: async () => 'owner' },
    config: { functionMail: 'team' },
    mail: {
      isConfigured: true,
      send: async (_: unknown, { to }: { to: string }) => isTaken() && sent.push(to) > 0,
    },
  } as unknown as ServicesContext;
  const service = createMailService(context);
  const request = new Request('http://server/mail');
  const letter = { subject: 'Hi', text: 'Hello' };
  const send = (functionId: number, to?: string) =>
    service.run(
      { asking: { id: functionId, ownerId: 1, branchSlug: null }, page: { name: 'Club' } } as Asker,
      { ...letter, ...(to !== undefined && { to }) },
      request,
    );
  return { sent, send };
}

test('mail to a team counts for each person, and what is refused counts for none', async () => {
  const { sent, send } = start(100);
  await send(1, 'team');
  expect([sent.length, new Set(sent).size]).toEqual([101, 101]);
  await expect(send(1, 'team')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(sent).toHaveLength(101);
  // 99 of 200 are left. Each function can send 30 times.
  for (let count = 0; count < 99; count++) await send(2 + Math.floor(count / 30));
  await expect(send(9)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(sent).toHaveLength(200);
});

test('a function sends 30 times an hour', async () => {
  const { sent, send } = start(0);
  for (let count = 0; count < 30; count++) await send(1, 'team');
  await expect(send(1, 'team')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await send(2, 'team');
  expect(sent).toHaveLength(31);
});

test('a team of 200 people gets mail, and one of 201 does not', async () => {
  const largest = start(199);
  await largest.send(1, 'team');
  expect(largest.sent).toHaveLength(200);
  const larger = start(200);
  await expect(larger.send(1, 'team')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(larger.sent).toHaveLength(0);
});

test('one full inbox does not matter to the others, but all of them do', async () => {
  let turn = 0;
  const some = start(2, () => turn++ > 0);
  await some.send(1, 'team');
  expect(some.sent).toHaveLength(2);
  const none = start(2, () => false);
  await expect(none.send(1, 'team')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});
