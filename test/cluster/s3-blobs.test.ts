import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readZip } from '../../server/lib/formats/zip-reader.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** Files and pictures in a bucket, as visitors see them, also while the bucket is unavailable. */

/** Ends a call that hangs. The server gives up on the bucket much sooner. */
const ANSWER_MS = 60_000;

let s3: TestS3;
let server: TestServer;
let token: string;
let page: { id: number; slug: string };

beforeAll(async () => {
  s3 = await startS3();
  server = await startServer({ settings: s3.settings });
  ({ token } = await register(server, 'ada'));
  page = await publish(server, token, { storage_mode: 'team_app' });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await s3?.stop();
});

const address = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const files = () => `/api/pages/${page.id}/team-files`;

async function upload(text: string): Promise<Response> {
  const body = new FormData();
  body.append('file', new File([text], 'notes.txt'));
  return fetch(address(files()), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
    keepalive: false,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

async function uploaded(text: string): Promise<string> {
  const answer = await upload(text);
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

const download = (id: string) => call(server, 'GET', `${files()}/${id}`, { token, timeoutMs: ANSWER_MS });
const keys = async () => ((await new Bun.S3Client(s3).list()).contents ?? []).map(({ key }) => key).sort();

function expectUnavailable(answer: { status: number; headers: Headers }): void {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
}

test('stores the files of pages in the bucket, reads them, and deletes them with their page', async () => {
  const own = await publish(server, token, {});
  const path = `/api/pages/${own.id}/files`;
  const body = new FormData();
  for (const name of ['a.txt', 'b.txt', 'same.txt']) body.append(name, new Blob([name.slice(0, 1)]));
  body.append('also/same.txt', new Blob(['s']));
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(address(path), { method: 'PUT', headers, body })).status).toBe(200);
  expect((await keys()).every((key) => key.startsWith('blobs/files/'))).toBe(true);
  expect(await keys()).toHaveLength(3);
  expect((await call(server, 'GET', `${path}/also/same.txt`, { token })).body).toBe('s');
  const archive = await fetch(address(`/api/pages/${own.id}/export`), { headers });
  const entries = readZip(Buffer.from(await archive.arrayBuffer()), 10);
  expect(entries.map(({ name, read }) => [name, Buffer.from(read()).toString()]).slice(1)).toEqual([
    ['a.txt', 'a'],
    ['also/same.txt', 's'],
    ['b.txt', 'b'],
    ['same.txt', 's'],
  ]);
  expect((await call(server, 'DELETE', `/api/pages/${own.id}`, { token })).status).toBe(200);
  await waitUntil(async () => (await keys()).length === 0);
});

test('stores a file in the bucket, serves it, and deletes it', async () => {
  const id = await uploaded('some notes');
  expect((await download(id)).body).toBe('some notes');
  expect(await keys()).toEqual([`blobs/team-files/${id.slice(-2)}/${id}`]);
  expect((await call(server, 'DELETE', `${files()}/${id}`, { token })).status).toBe(204);
  await waitUntil(async () => (await keys()).length === 0);
  expect((await download(id)).status).toBe(404);
});

test('stores a preview image in the bucket and serves it', async () => {
  const made = await call(server, 'POST', `/api/pages/${page.id}/generate-preview-image`, { token });
  expect(made.status).toBe(200);
  const { pathname } = new URL(made.body.imageUrl);
  expect(await keys()).toEqual([expect.stringMatching(/^blobs\/images\//)]);
  const seen = await fetch(address(pathname));
  expect(seen.headers.get('content-type')).toBe('image/png');
  expect(
    Buffer.from(await seen.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
});

test('shows the bucket in the health report', async () => {
  const { body } = await call(server, 'GET', '/healthz');
  expect(body.external).toEqual(['S3']);
});

test('refuses quickly what needs the bucket while the bucket hangs, and serves everything else', async () => {
  const id = await uploaded('before');
  s3.freeze();
  try {
    const refused = [upload('meanwhile'), download(id)];
    for (let seen = 0; seen < 5; seen++)
      expect((await call(server, 'GET', `/p/${page.slug}`, { timeoutMs: ANSWER_MS })).status).toBe(200);
    expect((await call(server, 'GET', files(), { token })).body.files.length).toBe(1);
    for (const answer of await Promise.all(refused)) expectUnavailable(answer);
  } finally {
    s3.thaw();
  }
  expect((await download(id)).body).toBe('before');
  const after = await uploaded('after');
  expect((await download(after)).body).toBe('after');
  // Neither the file of the refused upload nor its row exists.
  expect((await call(server, 'GET', files(), { token })).body.files.length).toBe(2);
}, 120_000);

test('uses a bucket again after it was killed and restarted, and loses nothing', async () => {
  const id = await uploaded('kept');
  await s3.kill();
  expectUnavailable(await upload('meanwhile'));
  expectUnavailable(await download(id));
  await s3.start();
  expect((await download(id)).body).toBe('kept');
  expect((await upload('after')).status).toBe(201);
}, 120_000);
