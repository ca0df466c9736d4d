import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql } from '../../support/engines/storage.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

let visitors = 0;
/** Another address each time, because each can report 30 a minute. */
const someone = () => `10.${(++visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;

interface Reporting {
  peer?: string;
  headers?: Record<string, string>;
}

const report = (page: PublishedPage, body: unknown, { peer = someone(), headers = {} }: Reporting = {}) =>
  quire.call('POST', `/api/pages/${page.id}/errors`, {
    body,
    peer,
    headers: { 'user-agent': FIREFOX, ...headers },
  });

// biome-ignore lint/suspicious/noExplicitAny: JSON
async function fetchErrors(page: PublishedPage): Promise<any[]> {
  return (await owner.call('GET', `/api/pages/${page.id}/errors`)).body.errors;
}

const sample = (page: PublishedPage, more: object = {}) => ({
  message: 'x is not defined',
  source: `${quire.baseUrl}/p/${page.slug}?token=secret`,
  line: 12,
  column: 5,
  stack: `ReferenceError: x is not defined\n    at ${quire.baseUrl}/p/${page.slug}?token=secret:12:5`,
  ...more,
});

test('an error is listed with its place, its browser and its count, without secrets', async () => {
  const page = await owner.publish();
  for (let i = 0; i < 3; i++) {
    expect((await report(page, sample(page))).status).toBe(204);
    quire.advance(1_000);
  }
  await report(page, sample(page, { line: 13 }));
  const errors = await fetchErrors(page);
  expect(errors).toHaveLength(2);
  const listed = errors.find(({ line }) => line === 12);
  // From the first time to the last, although all were written together.
  expect(Date.parse(listed.lastAt) - Date.parse(listed.firstAt)).toBeGreaterThanOrEqual(2_000);
  expect(listed).toMatchObject({
    message: 'x is not defined',
    source: '',
    line: 12,
    column: 5,
    stack: 'ReferenceError: x is not defined\n    at page:12:5',
    browser: 'Firefox on Linux',
    version: 1,
    count: 3,
  });
  const { body } = await owner.call('GET', `/api/pages/${page.id}/analytics?range=24h`);
  expect([body.totals.errors, body.recentErrors.length]).toEqual([4, 2]);
});

test('the place of a rejected promise is in its stack', async () => {
  const page = await owner.publish();
  const stack = `Error: no\n    at call (${quire.baseUrl}/sdk/abc.js:1:9)\n    at ${quire.baseUrl}/p/${page.slug}:7:3`;
  await report(page, { message: 'Unhandled rejection: no', stack });
  expect((await fetchErrors(page))[0]).toMatchObject({ source: '', line: 7, column: 3 });
});

test('an error that was resolved is listed again when it happens again', async () => {
  const page = await owner.publish();
  await report(page, sample(page));
  const [{ fingerprint }] = await fetchErrors(page);
  const resolve = (print: string) => owner.call('DELETE', `/api/pages/${page.id}/errors/${print}`);
  expect((await resolve(fingerprint)).status).toBe(204);
  expect((await resolve(fingerprint)).status).toBe(404);
  expect((await resolve('nothing')).status).toBe(404);
  expect(await fetchErrors(page)).toEqual([]);
  await report(page, sample(page));
  expect(await fetchErrors(page)).toMatchObject([{ fingerprint, count: 1 }]);
  await report(page, sample(page, { line: 99 }));
  expect((await owner.call('DELETE', `/api/pages/${page.id}/errors`)).status).toBe(204);
  expect(await fetchErrors(page)).toEqual([]);
});

test('programs and checks report nothing', async () => {
  const page = await owner.publish();
  const headers = { 'user-agent': 'Mozilla/5.0 HeadlessChrome/142.0.0.0' };
  expect((await report(page, sample(page), { headers })).status).toBe(204);
  expect(await fetchErrors(page)).toEqual([]);
});

describe('limits', () => {
  test('a page keeps its 100 most recent errors', async () => {
    const page = await owner.publish();
    for (let line = 1; line <= 100; line++) {
      await report(page, sample(page, { line }));
      quire.advance(1);
    }
    expect((await fetchErrors(page)).map(({ line }) => line)).toContain(1);
    await report(page, sample(page, { line: 101 }));
    const lines = (await fetchErrors(page)).map(({ line }) => line);
    expect([lines.length, lines[0], lines.includes(1), lines.includes(2)]).toEqual([100, 101, false, true]);
    // Many at once, before anything is written.
    for (let line = 201; line <= 310; line++) {
      await report(page, sample(page, { line }));
      quire.advance(1);
    }
    const newest = (await fetchErrors(page)).map(({ line }) => line);
    expect([newest.length, newest[0], newest.at(-1)]).toEqual([100, 310, 211]);
  });

  test('a stranger who invents errors cannot make those that happen often disappear', async () => {
    const page = await owner.publish();
    for (let i = 0; i < 3; i++) await report(page, sample(page));
    expect(await fetchErrors(page)).toHaveLength(1);
    for (let line = 1_000; line < 1_250; line++) {
      quire.advance(1);
      await report(page, sample(page, { line }));
      if (line % 50 === 0) await fetchErrors(page);
    }
    const errors = await fetchErrors(page);
    expect([errors.length, errors.at(-1)]).toMatchObject([100, { line: 12, count: 3 }]);
    expect(errors[0]).toMatchObject({ line: 1_249 });
  });

  test('an address reports 30 in a minute, and a page 300', async () => {
    const page = await owner.publish();
    const peer = someone();
    for (let i = 0; i < 30; i++) expect((await report(page, sample(page), { peer })).status).toBe(204);
    const over = await report(page, sample(page), { peer });
    expect([over.status, over.body.code]).toEqual([429, 'RATE_LIMITED']);
    for (let i = 30; i < 300; i++) expect((await report(page, sample(page))).status).toBe(204);
    expect((await report(page, sample(page))).status).toBe(429);
    const other = await owner.publish();
    expect((await report(other, sample(other))).status).toBe(204);
  });

  test('a report has at most 8 KB, and longer texts are cut', async () => {
    const page = await owner.publish();
    const long = (length: number) => ({ message: 'a'.repeat(length) });
    const overhead = JSON.stringify(long(0)).length;
    expect((await report(page, long(8 * 1024 - overhead))).status).toBe(204);
    expect((await report(page, long(8 * 1024 - overhead + 1))).status).toBe(413);
    expect((await fetchErrors(page))[0].message).toBe('a'.repeat(500));
  });

  test.each([
    [{}],
    [{ message: 7 }],
    [{ message: 'a', line: -1 }],
    [{ message: 'a', line: 1.5 }],
    [{ message: 'a', line: 2 ** 31 }],
    [{ message: 'a', more: true }],
    [[]],
  ])('%j is refused', async (body) => {
    const page = await owner.publish();
    expect((await report(page, body)).status).toBe(400);
    expect(await fetchErrors(page)).toEqual([]);
  });
});

test('who cannot see a page cannot report its errors', async () => {
  const page = await owner.publish();
  await owner.call('PATCH', `/api/pages/${page.id}`, {
    body: { access: { mode: 'password', password: 'open sesame' } },
  });
  expect((await report(page, sample(page))).status).toBe(403);
  await owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: false } });
  expect((await report(page, sample(page))).status).toBe(404);
  expect(await fetchErrors(page)).toEqual([]);
});

test('errors are removed after 30 days', async () => {
  const page = await owner.publish();
  await report(page, sample(page));
  expect(await fetchErrors(page)).toHaveLength(1);
  const count = async () =>
    (await readSql(quire, `select fingerprint from page_errors where page_id = ${page.id}`)).length;
  quire.advance(30 * DAY_MS - 60_000);
  await quire.app.sweep();
  expect(await count()).toBe(1);
  quire.advance(120_000);
  await quire.app.sweep();
  expect(await count()).toBe(0);
});
