import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Mail, MailMessage } from '../../../server/platform/mail/index.ts';
import { startQueue, type TestQueue } from '../../support/mail/queue.ts';
import { waitUntil } from '../../support/server.ts';

const TO = 'ann@example.com';
const RESET = { kind: 'password reset', username: 'ann', link: 'https://quire.test/reset?s=1' } as const;
const MINUTE_MS = 60_000;

let queue: TestQueue;
let node: Mail;
beforeEach(async () => {
  queue = await startQueue();
  node = await queue.node();
});
afterEach(() => queue.stop());

const rows = () => queue.db.selectFrom('mails').selectAll().orderBy('id').execute();
const row = async () => (await rows())[0];

test('sends a mail as soon as its transaction commits, and forgets what it said', async () => {
  node.start();
  let queued = false;
  await queue.db.transaction().execute(async (tx) => {
    expect(await node.send(tx, { to: TO, message: RESET })).toBe(true);
    queued = true;
    expect(queue.smtp.mails).toEqual([]);
  });
  expect(queued).toBe(true);
  const mail = await queue.smtp.nextMail(TO);
  expect(mail.subject).toBe('Set a new password');
  expect(mail.links).toContain(RESET.link);
  expect(mail.html).toContain(`href="${RESET.link}"`);
  expect(mail.parsed.from).toMatchObject({ name: 'Quire', address: 'quire@example.com' });
  await waitUntil(async () => (await row())?.sent_at != null);
  expect(await row()).toMatchObject({ content: null, due_at: null, attempts: 1, last_error: null });
  expect(queue.logs.join('')).not.toContain('reset?s=1');
  expect(node.status()).toMatchObject({ sent: 1, failed: 0 });
});

test('sends nothing when the transaction is rolled back', async () => {
  node.start();
  const failing = queue.db.transaction().execute(async (tx) => {
    await node.send(tx, { to: 'nobody@example.com', message: RESET });
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  await queue.send(node, { to: TO, message: RESET });
  await queue.smtp.nextMail(TO);
  expect(queue.smtp.mailsTo('nobody@example.com')).toEqual([]);
});

test('sends each mail once when several nodes share the queue', async () => {
  const others = [await queue.node(), await queue.node()];
  const addresses = Array.from({ length: 40 }, (_, at) => `person${at}@example.com`);
  for (const to of addresses) await queue.send(node, { to, message: RESET });
  for (const each of [node, ...others]) each.start();
  // More mail while they send: every node wakes for its own.
  for (const each of others)
    await queue.send(each, { to: `own${others.indexOf(each)}@example.com`, message: RESET });
  await queue.untilReceived(42);
  await waitUntil(async () => (await rows()).every(({ sent_at }) => sent_at !== null));
  expect(queue.smtp.mails.map(({ to }) => to).sort()).toEqual(
    [...addresses, 'own0@example.com', 'own1@example.com'].sort(),
  );
  expect(new Set(queue.smtp.mails.map(({ messageId }) => messageId)).size).toBe(42);
  const sent = [node, ...others].map((each) => each.status().sent);
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(42);
});

test('finds mail of another process without being woken', async () => {
  await queue.send(node, { to: TO, message: RESET });
  const other = await queue.node();
  other.start();
  await queue.smtp.nextMail(TO);
});

test('gives up when a mail expires, without sending it', async () => {
  queue.smtp.behave('fail for now');
  node.start();
  await queue.send(node, { to: TO, message: RESET, expiresAt: queue.now() + 10 * MINUTE_MS });
  await waitUntil(async () => (await row())?.last_error != null);
  queue.smtp.behave('accept');
  queue.advance(10 * MINUTE_MS);
  await waitUntil(async () => (await row())?.due_at === null);
  expect(await row()).toMatchObject({ content: null, sent_at: null });
  expect(queue.smtp.mails).toEqual([]);
});

test('a server that cannot be reached loses no mail', async () => {
  const lost = await queue.node({ smtpUrl: 'smtp://127.0.0.1:1' });
  lost.start();
  await queue.send(lost, { to: TO, message: RESET });
  await waitUntil(async () => (await row())?.last_error != null);
  expect((await row())?.content).toContain(RESET.link);
  await lost.stop();
  queue.advance(18_000);
  node.start();
  await queue.smtp.nextMail(TO);
});

test('a server that hangs holds up neither those who send nor stopping, and the mail is sent later', async () => {
  queue.smtp.behave('hang');
  node.start();
  await queue.send(node, { to: TO, message: RESET });
  await queue.smtp.untilTried(1);
  await queue.send(node, { to: 'ben@example.com', message: RESET });
  await node.stop();
  queue.smtp.behave('accept');
  queue.advance(5 * MINUTE_MS);
  const next = await queue.node();
  next.start();
  await queue.smtp.nextMail(TO);
  await queue.smtp.nextMail('ben@example.com');
});

test('a mail whose answer does not come holds up no other mail', async () => {
  queue.smtp.behave('hang after data');
  node.start();
  for (const to of [TO, 'ben@example.com', 'cleo@example.com']) {
    await queue.send(node, { to, message: RESET });
    await queue.smtp.nextMail(to);
  }
  expect((await rows()).map(({ sent_at, attempts }) => [sent_at, attempts])).toEqual(
    Array(3).fill([null, 1]),
  );
});

test('deletes rows after 30 days, and what waits never', async () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  node.start();
  await queue.send(node, { to: TO, message: RESET });
  await waitUntil(async () => (await row())?.sent_at != null);
  await node.stop();
  await queue.send(node, { to: 'ben@example.com', message: RESET });
  queue.advance(30 * DAY_MS - MINUTE_MS);
  await node.purge(() => false);
  expect(await rows()).toHaveLength(2);
  queue.advance(MINUTE_MS);
  await node.purge(() => false);
  expect((await rows()).map(({ recipient }) => recipient)).toEqual(['ben@example.com']);
});

const TAKEN_DOWN = {
  kind: 'page taken down',
  name: 'Shop',
  reason: 'Spam',
  link: 'https://quire.test/',
} as const;
const CONFIRM = { kind: 'confirm address', username: 'ann', link: 'https://quire.test/' } as const;
test.each([
  { message: CONFIRM, hour: 5, day: 20 },
  { message: TAKEN_DOWN, hour: 20, day: 200 },
  { message: RESET, hour: 5, day: 120 },
])('an address gets $hour mails of a kind in an hour and $day in a day: $message.kind', async (limits) => {
  const { message, hour, day } = limits;
  const send = () => queue.send(node, { to: TO, message });
  for (let sent = 0; sent < day; sent++) {
    if (sent > 0 && sent % hour === 0) {
      expect(await send()).toBe(false);
      queue.advance(60 * MINUTE_MS + 1);
    }
    expect(await send()).toBe(true);
  }
  queue.advance(60 * MINUTE_MS);
  // The limit of the day, unless it is over before anybody reaches it.
  expect(await send()).toBe((day / hour) * 60 * MINUTE_MS >= 24 * 60 * MINUTE_MS);
  // Neither other kinds nor other people are affected.
  expect(await queue.send(node, { to: TO, message: { kind: 'test' } })).toBe(true);
  expect(await queue.send(node, { to: 'ben@example.com', message })).toBe(true);
  queue.advance(24 * 60 * MINUTE_MS);
  expect(await send()).toBe(true);
});

test('an address gets no more from those who send at once, nor under the names it adds after a plus sign', async () => {
  const to = (i: number) => ['ann@example.com', 'ann+a@example.com', 'Ann+b+c@example.com'][i % 3] ?? '';
  const sent = await Promise.all(
    Array.from({ length: 16 }, (_, i) => queue.send(node, { to: to(i), message: CONFIRM })),
  );
  expect(sent.filter(Boolean)).toHaveLength(5);
  expect(new Set((await rows()).map(({ mailbox }) => mailbox))).toEqual(new Set([TO]));
  expect(await queue.send(node, { to: '+ann@example.com', message: CONFIRM })).toBe(true);
});

test('puts mail of a bundle together while it waits, and sends one in ten minutes', async () => {
  const message = (count: number): MailMessage & { kind: 'form messages' } => ({
    kind: 'form messages',
    pageName: 'Shop',
    count,
    messages: [],
    link: 'https://quire.test/dashboard',
  });
  const send = () =>
    queue.send(node, {
      to: TO,
      message: message(1),
      bundle: { key: 'forms 1', everyMs: 10 * MINUTE_MS, merge: ({ count }) => message(count + 1) },
    });
  node.start();
  await send();
  expect((await queue.smtp.nextMail(TO)).subject).toBe('New message from “Shop”');
  await waitUntil(async () => (await row())?.sent_at != null);
  for (let count = 0; count < 3; count++) await send();
  expect(await rows()).toHaveLength(2);
  queue.advance(9 * MINUTE_MS);
  await send();
  expect(queue.smtp.mails).toHaveLength(1);
  queue.advance(MINUTE_MS);
  expect((await queue.smtp.nextMail(TO)).subject).toBe('4 new messages from “Shop”');
});

test('queues nothing without a mail server, and nothing for what is not an address', async () => {
  const { Mail: Queue } = await import('../../../server/platform/mail/index.ts');
  const none = new Queue({ mail: undefined, baseUrl: '', db: queue.db, log: {} as never, now: queue.now });
  expect(none.isConfigured).toBe(false);
  none.start();
  expect(await queue.send(none, { to: TO, message: RESET })).toBe(false);
  await none.stop();
  expect(await queue.send(node, { to: 'a@b.example\r\nBcc: c@d.example', message: RESET })).toBe(false);
  expect(await queue.send(node, { to: '"a, b"@c.example', message: RESET })).toBe(false);
  expect(await rows()).toEqual([]);
});
