import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** What large inboxes cost: each request is for one owner, and everyone else waits for it. */

const MESSAGES = 40;
const TEXT = 'x'.repeat(19_000);

let quire: TestApp;
let owner: TestUser;
let page: PublishedPage;
let form: string;
beforeAll(async () => {
  quire = await testApp({ QUIRE_FORMS_PER_MINUTE: '0' });
  owner = await quire.user('owner');
  page = await owner.publish();
  form = `/api/pages/${page.id}/forms/contact`;
  for (let n = 0; n < MESSAGES; n++) expect(await send(n)).toBe(201);
});
afterAll(() => quire.stop());

const send = async (n: number) =>
  (await quire.call('POST', form, { body: { n, a: TEXT, b: TEXT, c: TEXT, d: TEXT, e: TEXT } })).status;

/** How often other requests have a turn while this one is worked on. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

test('a list of large messages is short, and says that there are more', async () => {
  const seen: number[] = [];
  let before = '';
  for (let isMore = true; isMore; ) {
    const { body } = await owner.call('GET', `${form}?limit=100${before}`);
    expect(body.messages.length).toBeGreaterThan(0);
    expect(JSON.stringify(body).length).toBeLessThan(1024 * 1024);
    for (const { id, fields } of body.messages) {
      seen.push(Number(fields.n));
      before = `&before=${id}`;
    }
    isMore = body.hasMore;
  }
  expect(seen).toEqual(Array.from({ length: MESSAGES }, (_, n) => MESSAGES - 1 - n));
});

test('a list of small messages has as many as the limit says', async () => {
  const small = `/api/pages/${page.id}/forms/small`;
  for (let n = 0; n < 3; n++) await quire.call('POST', small, { body: { n } });
  const fetchLength = async (limit: number) => {
    const { body } = await owner.call('GET', `${small}?limit=${limit}`);
    return [body.messages.length, body.hasMore];
  };
  expect([await fetchLength(2), await fetchLength(3), await fetchLength(4)]).toEqual([
    [2, true],
    [3, false],
    [3, false],
  ]);
});

test('others have a turn while messages are exported', async () => {
  let text = '';
  const turns = await turnsDuring(async () => {
    const response = await quire.request(`${form}/export`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    text = await response.text();
  });
  expect(text.split('\r\n').length).toBe(MESSAGES + 2);
  expect(turns).toBeGreaterThan(20);
});

test('others have a turn while messages are deleted, and what arrives meanwhile stays', async () => {
  const turns = await turnsDuring(async () => {
    const deleting = owner.call('DELETE', form);
    // A message that arrives before the first are deleted may be one of them.
    await waitUntil(async () => (await owner.call('GET', form)).body.total < MESSAGES);
    expect(await send(MESSAGES)).toBe(201);
    expect((await deleting).status).toBe(204);
  });
  expect(turns).toBeGreaterThan(5);
  const { body } = await owner.call('GET', form);
  expect([body.total, body.unread, body.messages.length]).toEqual([1, 1, 1]);
  expect((await owner.call('GET', `/api/pages/${page.id}/forms`)).body.forms.length).toBe(2);
});
