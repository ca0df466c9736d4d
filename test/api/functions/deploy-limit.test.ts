import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { ECHO, handler } from '../../support/functions/app.ts';

let quire: TestApp;
let owner: TestUser;
let other: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_DEPLOYS_PER_HOUR: '3' });
  owner = await quire.user('owner');
  other = await quire.user('other');
});
afterAll(() => quire.stop());

test('an owner can deploy as often as the setting says, without using up the deploys of others', async () => {
  const deploy = (slug: string, code = ECHO, as = owner) =>
    as.call('POST', '/api/functions', { body: { slug, code } });
  expect((await deploy('one')).status).toBe(201);
  // Code that is refused before it is loaded does not count, and neither does a change without new code.
  expect((await deploy('one')).status).toBe(409);
  const patch = (body: object) => owner.call('PATCH', '/api/functions/one', { body });
  expect((await patch({ displayName: 'One', code: ECHO })).status).toBe(200);
  // Code that is loaded counts, whatever the result.
  expect((await deploy('two', 'syntax error')).status).toBe(422);
  expect((await patch({ code: handler('return new Response("new")') })).status).toBe(200);

  for (const refused of [await deploy('three'), await patch({ code: handler('return 1') })]) {
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.body.error).toMatch(/^You have deployed 3 times in the last hour.* Try again in /);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('ratelimit-limit')).toBe('3');
  }
  expect((await patch({ displayName: 'Still one' })).status).toBe(200);
  expect((await quire.call('POST', '/api/functions/one')).body).toBe('new');
  for (const slug of ['a', 'b', 'c']) expect((await deploy(slug, ECHO, other)).status).toBe(201);
  expect((await deploy('d', ECHO, other)).status).toBe(429);
});
