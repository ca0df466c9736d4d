import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isRunning } from '../support/faults/process.ts';
import { call, publish, register } from '../support/http/client.ts';
import { openConnection, type RawConnection } from '../support/http/socket.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MANY = 200;

let server: TestServer;
let token: string;
let slug: string;

beforeAll(async () => {
  server = await startServer();
  ({ token } = await register(server, 'ada'));
  ({ slug } = await publish(server, token));
});
afterAll(() => server.kill());

test('200 silent connections do not delay other requests', async () => {
  await withConnections(async () => {
    await expectAnswers();
  });
});

test('200 connections with slow headers do not delay other requests', async () => {
  await withConnections(async (connections) => {
    for (const piece of ['GET /p/', 'a-page HTTP/1.1\r\n', 'Host: localhost\r\nX-Slow: ', 'a', 'a', 'a']) {
      for (const connection of connections) expect(await connection.send(piece)).toBeTrue();
      await expectAnswers();
    }
    for (const connection of connections) await connection.send('\r\n\r\n');
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(MANY);
  });
});

test('200 connections that never read their response do not delay other requests', async () => {
  const html_content = `<!doctype html><p>${'large '.repeat(400_000)}`;
  const large = await publish(server, token, { name: 'Large', html_content });
  await withConnections(async (connections) => {
    for (const connection of connections) {
      connection.socket.pause();
      await connection.send(`GET /p/${large.slug} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    }
    await expectAnswers();
  });
});

async function withConnections(work: (connections: RawConnection[]) => Promise<void>): Promise<void> {
  const connections = await Promise.all(Array.from({ length: MANY }, () => openConnection(server.port)));
  try {
    await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
  await expectAnswers();
  expect(isRunning(server.pid)).toBeTrue();
}

async function expectAnswers(): Promise<void> {
  const quickly = { token, timeoutMs: 60_000 };
  const body = { name: 'Quick', html_content: '<p>quick' };
  const answers = await Promise.all([
    call(server, 'GET', '/healthz', quickly),
    call(server, 'GET', `/p/${slug}`, quickly),
    call(server, 'GET', '/api/pages', quickly),
    call(server, 'POST', '/api/pages', { ...quickly, body }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
}
