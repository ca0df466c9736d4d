import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** The audit log in a file or at a syslog server. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'quire-audit-'));
  closing.push(() => rmSync(path, { recursive: true }));
  return path;
}

async function start(target: string, settings: Record<string, string> = {}) {
  const quire = await testApp({ QUIRE_AUDIT_LOG: target, ...settings });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await quire.stop();
    isStopped = true;
  };
  closing.push(stop);
  const boss = await administrator(quire, 'boss');
  const ada = await quire.user('ada');
  return { quire, boss, ada, stop };
}

async function grant(boss: Administrator, userId: number, reason: string) {
  const path = `/api/admin/users/${userId}/credits`;
  expect((await boss.admin('POST', path, { credits: 1, reason })).status).toBe(200);
}

const readLines = (path: string): { id: number; details: { reason?: string } }[] => {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};
const reasons = (path: string) => readLines(path).flatMap(({ details }) => details.reason ?? []);

test('a file has every entry as administrators see it, in order and only once', async () => {
  const path = join(folder(), 'audit.jsonl');
  const { boss, ada, stop } = await start(`file://${path}`);
  for (const reason of ['one\nline', 'two', 'three']) await grant(boss, ada.id, reason);
  await waitUntil(async () => reasons(path).length === 3);
  expect(reasons(path)).toEqual(['one\nline', 'two', 'three']);
  const { entries } = (await boss.admin('GET', '/api/admin/audit?limit=200')).body;
  expect(readLines(path)).toEqual(entries.toReversed());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await grant(boss, ada.id, 'just before the end');
  await stop();
  expect(reasons(path)).toEqual(['one\nline', 'two', 'three', 'just before the end']);
});

test('a file that was renamed is begun again', async () => {
  const path = join(folder(), 'audit.jsonl');
  const { boss, ada } = await start(`file://${path}`);
  await grant(boss, ada.id, 'before');
  await waitUntil(async () => reasons(path).includes('before'));
  renameSync(path, `${path}.1`);
  await grant(boss, ada.id, 'after');
  await waitUntil(async () => reasons(path).includes('after'));
  expect(reasons(`${path}.1`)).toEqual(['before']);
  expect(reasons(path)).toEqual(['after']);
});

test('nothing is lost while the file cannot be written, which is logged once', async () => {
  const missing = join(folder(), 'not-there-yet');
  const path = join(missing, 'audit.jsonl');
  const { quire, boss, ada } = await start(`file://${path}`);
  await grant(boss, ada.id, 'early');
  const complaints = () => quire.logs.filter((line) => line.includes('audit log cannot be written'));
  await waitUntil(async () => complaints().length > 0);
  mkdirSync(missing);
  await waitUntil(async () => reasons(path).includes('early'));
  const isRelieved = (line: string) => line.includes(`written to file://${path} again`);
  await waitUntil(async () => quire.logs.some(isRelieved));
  expect(complaints()).toHaveLength(1);
});

/** A server that reads messages with their lengths in front. */
async function syslogServer(port = 0): Promise<{ port: number; messages: string[]; close(): Promise<void> }> {
  const messages: string[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
    });
    socket.on('end', () => {
      while (bytes.length > 0) {
        const space = bytes.indexOf(' ');
        const end = space + 1 + Number(bytes.subarray(0, space).toString());
        messages.push(bytes.subarray(space + 1, end).toString());
        bytes = bytes.subarray(end);
      }
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    messages,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

test('a syslog server gets every entry, also those from when it was not there', async () => {
  const first = await syslogServer();
  const { quire, boss, ada } = await start(`syslog://127.0.0.1:${first.port}`);
  await grant(boss, ada.id, 'Grüße');
  const has = (messages: string[], reason: string) => messages.some((text) => text.includes(`"${reason}"`));
  await waitUntil(async () => has(first.messages, 'Grüße'));
  const message = first.messages.find((text) => text.includes('Grüße')) ?? '';
  expect(message).toMatch(/^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ quire - audit - \{"id":/);
  expect(JSON.parse(message.slice(message.indexOf('{'))).details).toMatchObject({ reason: 'Grüße' });

  await first.close();
  await grant(boss, ada.id, 'nobody listens');
  await waitUntil(async () => quire.logs.some((line) => line.includes('audit log cannot be written')));
  const second = await syslogServer(first.port);
  closing.push(second.close);
  await waitUntil(async () => has(second.messages, 'nobody listens'));
  expect(has(second.messages, 'Grüße')).toBe(false);
});

test.each(['audit.jsonl', 'file://relative', 'file:///folder/', 'syslog://', 'syslog://host:65536'])(
  '%s is refused at the start',
  async (target) => {
    const started: Promise<TestApp> = testApp({ QUIRE_AUDIT_LOG: target });
    await expect(started).rejects.toThrow(/QUIRE_AUDIT_LOG/);
  },
);
