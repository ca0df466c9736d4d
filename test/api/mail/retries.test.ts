import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Mail } from '../../../server/platform/mail/index.ts';
import { startQueue, type TestQueue } from '../../support/mail/queue.ts';
import { waitUntil } from '../../support/server.ts';

const TO = 'ann@example.com';
const RESET = { kind: 'password reset', username: 'ann', link: 'https://quire.test/reset?s=1' } as const;

let queue: TestQueue;
let node: Mail;
beforeEach(async () => {
  queue = await startQueue();
  node = await queue.node();
});
afterEach(() => queue.stop());

const row = () => queue.db.selectFrom('mails').selectAll().executeTakeFirst();

test('tries again later when the server refuses temporarily, and keeps the content until then', async () => {
  queue.smtp.behave('fail for now');
  node.start();
  await queue.send(node, { to: TO, message: RESET });
  await queue.smtp.untilTried(1);
  await waitUntil(async () => (await row())?.last_error != null);
  const waiting = await row();
  expect(waiting?.last_error).toContain('Come back later');
  expect(waiting?.content).toContain(RESET.link);
  // 15 seconds, and up to a fifth more or less.
  const waitMs = Number(waiting?.due_at) - queue.now();
  expect(waitMs).toBeLessThanOrEqual(18_000);
  queue.smtp.behave('accept');
  queue.advance(18_000);
  const mail = await queue.smtp.nextMail(TO);
  expect(mail.subject).toBe('Set a new password');
  await waitUntil(async () => (await row())?.sent_at != null);
  expect(await row()).toMatchObject({ content: null, attempts: 2, last_error: null });
});

test('gives up at once when the server refuses the recipient permanently', async () => {
  queue.smtp.behave('refuse');
  node.start();
  await queue.send(node, { to: TO, message: RESET });
  await waitUntil(async () => (await row())?.due_at === null);
  expect(await row()).toMatchObject({ content: null, sent_at: null, attempts: 1 });
  expect((await row())?.last_error).toContain('No such person');
  expect(node.status()).toMatchObject({ sent: 0, failed: 1 });
});
