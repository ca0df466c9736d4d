import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

const rename = (user: TestUser, id: number, slug: string) =>
  user.call('PATCH', `/api/pages/${id}`, { body: { slug } });

/** A page of the owner that was at one slug and is at another now. */
async function moved(from: string, to: string): Promise<number> {
  const { id, slug } = await owner.publish({ name: from });
  expect(slug).toBe(from);
  expect((await rename(owner, id, to)).status).toBe(200);
  return id;
}

const leadsTo = async (slug: string) => {
  const { status, headers } = await quire.request(`/p/${slug}`);
  return status === 301 ? headers.get('location') : status;
};

test('the slug that a page left is reserved for its owner', async () => {
  await moved('left', 'entered');
  expect((await stranger.publish({ name: 'left' })).slug).toBe('left-2');
  const theirs = await stranger.publish({ name: 'theirs' });
  const refused = await rename(stranger, theirs.id, 'left');
  expect(refused).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } });
  expect(await leadsTo('theirs')).toBe(200);
  expect(await leadsTo('left')).toBe('/p/entered');
  const fork = await stranger.call('POST', `/api/pages/${theirs.id}/fork`, { body: { name: 'left' } });
  expect(fork.body.slug ?? fork.body.page?.slug).not.toBe('left');
});

test('the owner can use a slug that a page left again, for this page or another one', async () => {
  const id = await moved('home', 'away');
  expect((await rename(owner, id, 'home')).status).toBe(200);
  expect(await leadsTo('away')).toBe('/p/home');
  expect((await owner.publish({ name: 'away' })).slug).toBe('away');
  expect(await leadsTo('away')).toBe(200);
});

test('nobody takes a slug at the moment when a page leaves it', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, slug } = await owner.publish({ name: `race ${round}` });
    const other = await stranger.publish({ name: `racer ${round}` });
    const [, taken, made] = await Promise.all([
      rename(owner, id, `raced-${round}`),
      rename(stranger, other.id, slug),
      stranger.publish({ name: `race ${round}` }),
    ]);
    expect([taken.status, made.slug]).toEqual([409, `${slug}-2`]);
    expect(await leadsTo(slug)).toBe(`/p/raced-${round}`);
  }
});

test('the owner can see which slugs are reserved, and give them up', async () => {
  const id = await moved('first', 'second');
  await rename(owner, id, 'third');
  const list = async () => (await owner.call('GET', `/api/pages/${id}/slugs`)).body.slugs;
  const slugs = await list();
  expect(slugs.map(({ slug }: { slug: string }) => slug).sort()).toEqual(['first', 'second']);
  const days = (Date.parse(slugs[0].reserved_until) - Date.now()) / DAY_MS;
  expect(Math.round(days)).toBe(365);
  const giveUp = (user: TestUser, slug: string) => user.call('DELETE', `/api/pages/${id}/slugs/${slug}`);
  expect((await giveUp(stranger, 'first')).status).toBe(403);
  expect((await stranger.call('GET', `/api/pages/${id}/slugs`)).status).toBe(403);
  expect((await giveUp(owner, 'third')).status).toBe(404);
  expect((await giveUp(owner, 'never')).status).toBe(404);
  expect((await giveUp(owner, 'first')).status).toBe(200);
  expect((await list()).length).toBe(1);
  expect(await leadsTo('first')).toBe(404);
  expect((await stranger.publish({ name: 'first' })).slug).toBe('first');
  expect((await giveUp(owner, 'first')).status).toBe(404);
});

test('a slug that a page left is free when the page is deleted', async () => {
  const id = await moved('mortal', 'mortal-too');
  await owner.call('DELETE', `/api/pages/${id}`);
  expect((await stranger.publish({ name: 'mortal' })).slug).toBe('mortal');
});

test('a slug that a page left is free after a year', async () => {
  await moved('yearly', 'yearly-too');
  const login = async () => {
    const body = { username: stranger.username, password: stranger.password };
    const { accessToken: token } = (await quire.call('POST', '/api/auth/token', { body })).body;
    return (name: string) =>
      quire.call('POST', '/api/pages', { token, body: { name, html_content: '<p>hi' } });
  };
  quire.advance(364 * DAY_MS);
  expect((await (await login())('yearly')).body.page.slug).toBe('yearly-2');
  quire.advance(DAY_MS);
  expect((await (await login())('yearly')).body.page.slug).toBe('yearly');
  quire.advance(-365 * DAY_MS);
});
