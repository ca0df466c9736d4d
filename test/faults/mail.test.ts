import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSql, runSql } from '../support/engines/storage.ts';
import { call, register } from '../support/http/client.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** Mail while the server is killed and the mail server hangs. */

const TO = 'guest@elsewhere.example';

let dataFolder: string;
let smtp: TestSmtp;
let server: TestServer;
beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-mail-'));
  smtp = await startSmtp();
  server = await start();
});
afterEach(async () => {
  await server.stop();
  await smtp.stop();
  rmSync(dataFolder, { recursive: true });
});

const start = () => startServer({ dataFolder, settings: { QUIRE_SMTP_URL: smtp.url } });
const place = () => ({ dataFolder, databaseUrl: undefined });
const mails = () =>
  readSql<{ due_at: number | null; sent_at: number | null; content: string | null; attempts: number }>(
    place(),
    `select due_at, sent_at, content, attempts from mails where recipient = '${TO}'`,
  );

/** Somebody shares a page, and so a mail is queued. Returns when the request is answered. */
async function share(): Promise<void> {
  const { token } = await register(server, 'olga');
  const body = {
    name: 'Plans',
    html_content: '<p>Plans',
    access: { mode: 'people', people: [TO] },
  };
  const { status } = await call(server, 'POST', '/api/pages', { token, body });
  expect(status).toBe(201);
}

test('a mail whose server dies before it knows that it is sent comes again, with the same Message-ID', async () => {
  smtp.behave('hang after data');
  await share();
  const first = await smtp.nextMail(TO);
  await server.kill();
  smtp.behave('accept');
  const [claimed] = await mails();
  expect(claimed).toMatchObject({ attempts: 1, sent_at: null });
  expect(Number(claimed?.due_at)).toBeGreaterThan(Date.now());
  // Two minutes later nobody else can be sending it.
  await runSql(place(), 'update mails set due_at = due_at - 120000');
  server = await start();
  const second = await smtp.nextMail(TO);
  expect(second.messageId).toBe(first.messageId);
  await waitUntil(async () => (await mails())[0]?.sent_at !== null);
  expect(await mails()).toEqual([{ due_at: null, sent_at: expect.any(Number), content: null, attempts: 2 }]);
});

test('a mail that was queued when the server died is sent by the next one, once', async () => {
  smtp.behave('hang');
  await share();
  await smtp.untilTried(1);
  await server.kill();
  await runSql(place(), 'update mails set due_at = due_at - 120000');
  smtp.behave('accept');
  server = await start();
  await smtp.nextMail(TO);
  await waitUntil(async () => (await mails())[0]?.sent_at !== null);
  expect(smtp.mailsTo(TO)).toHaveLength(1);
});

test('a mail server that hangs does not keep the server from stopping', async () => {
  smtp.behave('hang');
  await share();
  await smtp.untilTried(1);
  expect(await server.stop()).toBe(0);
  const [waiting] = await mails();
  expect(waiting?.content).toContain('Plans');
  expect(waiting?.sent_at).toBeNull();
  server = await start();
});
