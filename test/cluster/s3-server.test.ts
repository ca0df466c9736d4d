import { afterAll, beforeAll, expect, test } from 'bun:test';
import { S3Client } from 'bun';
import { startS3, type TestS3 } from '../support/engines/s3.ts';

/** Tests the S3 server that other tests use. */

let s3: TestS3;
let client: S3Client;
beforeAll(async () => {
  s3 = await startS3();
  client = new S3Client(s3);
});
afterAll(() => s3.stop());

/** Uses a presigned URL, where headers can be chosen freely. */
const send = (method: 'GET' | 'PUT' | 'DELETE', key: string, init: RequestInit = {}) =>
  fetch(client.presign(key, { method }), { method, ...init });

test('stores, returns, lists and deletes objects, and returns ranges of them', async () => {
  await client.write('dir/a b+c~(é).txt', 'hello');
  await client.write('dir/sub/x', 'x');
  expect(await client.file('dir/a b+c~(é).txt').text()).toBe('hello');
  expect(await client.file('dir/a b+c~(é).txt').slice(1, 3).text()).toBe('el');
  expect(await client.file('dir/a b+c~(é).txt').stat()).toMatchObject({ size: 5 });
  const listed = await client.list({ prefix: 'dir/', delimiter: '/' });
  expect(listed.contents?.map(({ key }) => key)).toEqual(['dir/a b+c~(é).txt']);
  expect(listed.commonPrefixes).toEqual([{ prefix: 'dir/sub/' }]);
  await client.delete('dir/sub/x');
  expect(await client.exists('dir/sub/x')).toBe(false);
});

test('continues a listing where the page before ended', async () => {
  const keys = Array.from({ length: 7 }, (_, i) => `pages/${i}`);
  await Promise.all(keys.map((key) => client.write(key, key)));
  const found: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.list({
      prefix: 'pages/',
      maxKeys: 3,
      ...(token ? { continuationToken: token } : {}),
    });
    found.push(...(page.contents ?? []).map(({ key }) => key));
    token = page.nextContinuationToken;
  } while (token);
  expect(found).toEqual(keys);
  expect((await client.list({ prefix: 'pages/', startAfter: 'pages/4' })).keyCount).toBe(2);
});

test('assembles a large upload from its parts', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(65_536));
  const writer = client.file('parts').writer({ partSize: 5 * 2 ** 20 });
  const whole = Buffer.concat(Array.from({ length: 200 }, () => bytes));
  for (let at = 0; at < whole.length; at += bytes.length) writer.write(whole.subarray(at, at + bytes.length));
  await writer.end();
  expect(Buffer.from(await client.file('parts').arrayBuffer()).equals(whole)).toBe(true);
  expect((await client.file('parts').stat()).etag).toMatch(/-3"$/);
});

test('lets only one of many conditional creates succeed', async () => {
  const create = (body: string) => send('PUT', 'once', { body, headers: { 'if-none-match': '*' } });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => create(String(i))));
  const winners = answers.flatMap((answer, i) => (answer.status === 200 ? [i] : []));
  expect(answers.filter(({ status }) => status === 412).length).toBe(49);
  expect(await client.file('once').text()).toBe(String(winners[0]));
});

test('lets only one of many conditional replacements succeed', async () => {
  let etag = (await send('PUT', 'count', { body: '0' })).headers.get('etag') ?? '';
  for (let round = 1; round <= 5; round++) {
    const replace = (i: number) =>
      send('PUT', 'count', { body: `${round}.${i}`, headers: { 'if-match': etag } });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => replace(i)));
    const winners = answers.filter(({ status }) => status === 200);
    expect([winners.length, answers.filter(({ status }) => status === 412).length]).toEqual([1, 19]);
    etag = winners[0]?.headers.get('etag') ?? '';
  }
  expect((await send('DELETE', 'count', { headers: { 'if-match': '"other"' } })).status).toBe(412);
  expect((await send('DELETE', 'count', { headers: { 'if-match': etag } })).status).toBe(204);
  expect((await send('PUT', 'count', { body: 'x', headers: { 'if-match': etag } })).status).toBe(404);
});

test('refuses a request with a wrong key', async () => {
  for (const wrong of [{ secretAccessKey: 'other' }, { accessKeyId: 'other' }, { region: 'eu-west-1' }]) {
    const stranger = new S3Client({ ...s3, ...wrong });
    await expect(stranger.write('x', 'x')).rejects.toThrow();
    expect((await fetch(stranger.presign('once'))).ok).toBe(false);
  }
  expect((await fetch(`${s3.endpoint}/${s3.bucket}/once`)).status).toBe(403);
  const address = client.presign('once').replace('/once', '/count');
  expect((await fetch(address)).status).toBe(403);
});

test('still has everything it acknowledged after it was killed', async () => {
  await client.write('a', 'bytes');
  const { etag } = await client.stat('a');
  await s3.kill();
  await s3.start();
  expect(await client.file('a').text()).toBe('bytes');
  expect((await client.stat('a')).etag).toBe(etag);
});
