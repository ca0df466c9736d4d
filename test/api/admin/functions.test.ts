import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { countRuns, type RunCounter } from '../../support/functions/scheduled-runs.ts';
import { waitUntil } from '../../support/server.ts';

/** Functions that an administrator takes down, or whose owner is suspended. */

const REASON = 'It sends spam.';
const DOWN = { status: 451, body: { success: false, error: expect.not.stringContaining(REASON) } };
const HELLO = handler('return new Response("hello")');

let app: FunctionApp;
let boss: Administrator;
let runs: RunCounter;
beforeAll(async () => {
  app = await functionApp({ QUIRE_SCHEDULED_RUNS_PER_MINUTE: '0' });
  boss = await administrator(app.quire, 'boss');
  runs = countRuns();
});
afterAll(async () => {
  runs.stop();
  await app.quire.stop();
});

const takeDown = (slug: string, reason = REASON) =>
  boss.admin('POST', `/api/admin/functions/${slug}/take-down`, { reason });
const restore = (slug: string) => boss.admin('POST', `/api/admin/functions/${slug}/restore`);

describe('a function that is taken down', () => {
  let slug: string;
  let host: string;
  beforeAll(async () => {
    slug = await app.deploy(HELLO);
    host = (await app.owner.call('GET', `/api/functions/${slug}`)).body.workerUrl;
    expect((await app.call(slug)).status).toBe(200);
    expect((await takeDown(slug)).status).toBe(200);
  });

  test('answers nobody: at the API, on its host, or from a page', async () => {
    for (const as of [app.quire, app.stranger, app.owner])
      expect(await app.call(slug, {}, as)).toMatchObject(DOWN);
    expect((await app.quire.request(host)).status).toBe(451);
    const page = await app.owner.publish();
    const body = { function: slug };
    expect((await app.quire.call('POST', `/api/pages/${page.id}/call-ticket`, { body })).status).toBe(404);
  });

  test('is in no public list, and its owner sees why', async () => {
    const listed = async (query: string, as: { call: typeof app.quire.call }) =>
      (await as.call('GET', `/api/functions${query}`)).body.functions.find(
        (one: { slug: string }) => one.slug === slug,
      );
    expect(await listed('', app.quire)).toBeUndefined();
    expect(await listed('?mine=true', app.owner)).toMatchObject({ takenDown: { reason: REASON } });
    expect((await app.stranger.call('GET', `/api/functions/${slug}`)).status).toBe(451);
    expect((await app.owner.call('GET', `/api/functions/${slug}`)).body.takenDown).toEqual({
      at: expect.any(String),
      reason: REASON,
    });
  });

  test('can be read and changed by its owner, who cannot run it', async () => {
    const path = `/api/functions/${slug}`;
    expect((await app.owner.call('GET', `${path}/code`)).body.code).toBe(HELLO);
    const code = handler('return new Response("changed")');
    const deployed = await app.owner.call('PATCH', path, { body: { code } });
    expect(deployed).toMatchObject({ status: 200, body: { takenDown: { reason: REASON } } });
    expect((await app.owner.call('PATCH', path, { body: { isPublic: false } })).status).toBe(200);
    expect(await app.call(slug, {}, app.owner)).toMatchObject(DOWN);
    // A private function still does not exist for others.
    expect((await app.call(slug)).status).toBe(404);
    expect((await app.owner.call('PATCH', path, { body: { isPublic: true } })).status).toBe(200);
    expect((await app.owner.call('POST', `${path}/versions/1/restore`)).status).toBe(200);
    expect(await app.call(slug)).toMatchObject(DOWN);
    for (const way of ['test', 'schedules/run']) {
      const answer = await app.owner.call('POST', `${path}/${way}`, { body: {} });
      expect(answer).toMatchObject({ status: 451, body: { error: expect.stringContaining(REASON) } });
    }
  });

  test('runs again when it is restored', async () => {
    expect((await restore(slug)).status).toBe(200);
    expect((await app.call(slug)).status).toBe(200);
    expect((await app.owner.call('GET', `/api/functions/${slug}`)).body.takenDown).toBeUndefined();
  });

  test('can be deleted by its owner', async () => {
    const other = await app.deploy(HELLO);
    await takeDown(other);
    expect((await app.owner.call('DELETE', `/api/functions/${other}`)).status).toBe(204);
    expect((await app.call(other)).status).toBe(404);
  });
});

/** Sends a byte now and then, until somebody stops it. */
const TRICKLE = handler(`const { readable, writable } = new TransformStream();
  (async () => {
    const writer = writable.getWriter();
    for (;;) { await writer.write(new TextEncoder().encode('.')); await scheduler.wait(50); }
  })();
  return new Response(readable);`);
/** As many as come in five seconds. Otherwise its function has been given time to finish. */
const MANY_CHUNKS = 100;

test.each(['current', 'earlier'])(
  'a response of its %s version ends when a function is taken down',
  async (version) => {
    const slug = await app.deploy(TRICKLE);
    const response = await app.quire.request(`/api/functions/${slug}`, { method: 'POST' });
    const reader = response.body?.getReader();
    const read = async () => (await reader?.read())?.done === false;
    // It does not end by itself.
    for (let chunks = 0; chunks < 5; chunks++) expect(await read()).toBe(true);
    if (version === 'earlier')
      expect(
        (await app.owner.call('PATCH', `/api/functions/${slug}`, { body: { code: HELLO } })).status,
      ).toBe(200);
    expect(await read()).toBe(true);
    await takeDown(slug);
    let chunks = 0;
    while (chunks < MANY_CHUNKS && (await read().catch(() => false))) chunks++;
    expect(chunks).toBeLessThan(MANY_CHUNKS);
    await reader?.cancel().catch(() => undefined);
  },
);

test('a call that waits for others does not run when its function is taken down', async () => {
  // Two bodies of this size are too much for a cell, so the second waits.
  const bytes = 10 * 1024 * 1024;
  const slug = await app.deploy(
    handler(`const body = await request.text();
      console.log('begun');
      if (body.startsWith('slow')) await scheduler.wait(20_000);
      return new Response('ran');`),
  );
  const send = (text: string) =>
    app.quire.request(`/api/functions/${slug}`, { method: 'POST', body: text.padEnd(bytes) });
  const slow = send('slow');
  await waitUntil(async () =>
    (await app.owner.call('GET', `/api/functions/${slug}/logs`)).body.logs.some(
      ({ message }: { message: string }) => message === 'begun',
    ),
  );
  const waiting = send('quick');
  await takeDown(slug);
  expect((await slow).status).toBe(502);
  expect((await waiting).status).toBe(451);
});

test('a test whose body arrives after the function was taken down does not run it', async () => {
  const slug = await app.deploy(HELLO);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const body = writable.getWriter();
  const testing = app.quire.request(`/api/functions/${slug}/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.owner.token}`, 'content-type': 'text/plain' },
    body: readable,
  });
  // Read only once the function has been found.
  await body.write(Buffer.from('a'));
  await takeDown(slug);
  await body.close();
  expect((await testing).status).toBe(451);
});

test('schedules wait while their function is taken down, and are made up for once', async () => {
  const slug = await app.deploy(runs.code('taken-down'), { schedules: [{ cron: '* * * * *' }] });
  await takeDown(slug);
  app.quire.advance(5 * 60_000);
  // One that is not taken down shows that the scheduler has looked.
  const other = await app.deploy(runs.code('other'), { schedules: [{ cron: '* * * * *' }] }, app.stranger);
  app.quire.advance(60_000);
  await waitUntil(async () => runs.runs.some((run) => run.startsWith('other')));
  expect(runs.runs.filter((run) => run.startsWith('taken-down'))).toEqual([]);
  await app.stranger.call('DELETE', `/api/functions/${other}`);
  await restore(slug);
  await waitUntil(async () => runs.runs.some((run) => run.startsWith('taken-down')));
  await app.owner.call('DELETE', `/api/functions/${slug}`);
});

test('the functions of a suspended owner answer 403, and run again when the owner is restored', async () => {
  const user = await app.quire.user();
  const slug = await app.deploy(HELLO, {}, user);
  expect((await app.call(slug)).status).toBe(200);
  await boss.admin('POST', `/api/admin/users/${user.id}/suspend`, { reason: REASON });
  expect(await app.call(slug)).toMatchObject({
    status: 403,
    body: { success: false, error: expect.not.stringContaining('suspended') },
  });
  await boss.admin('POST', `/api/admin/users/${user.id}/restore`);
  expect((await app.call(slug)).status).toBe(200);
});

test('administrators find functions by name, owner and state, without their code', async () => {
  const user = await app.quire.user('functionfinder');
  const slugs = [await app.deploy(HELLO, {}, user), await app.deploy(HELLO, { isPublic: false }, user)];
  await takeDown(String(slugs[0]));
  const find = async (query: string) => {
    const answer = await boss.admin('GET', `/api/admin/functions?owner=functionfinder&${query}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain('hello');
    return answer.body.functions.map(({ slug }: { slug: string }) => slug);
  };
  expect(await find('')).toEqual(slugs.toReversed());
  expect(await find('state=private')).toEqual([slugs[1]]);
  expect(await find('state=public')).toEqual([slugs[0]]);
  expect(await find('state=taken-down')).toEqual([slugs[0]]);
  expect(await find(`q=${slugs[1]}`)).toEqual([slugs[1]]);
  expect((await boss.admin('GET', '/api/admin/functions?state=gone')).status).toBe(400);
  await app.call(String(slugs[0]));
  expect((await boss.admin('GET', `/api/admin/functions/${slugs[0]}`)).body.function).toMatchObject({
    owner: { id: user.id, username: 'functionfinder' },
    takenDown: { reason: REASON },
    schedules: 0,
    calls: 0,
    errors: 0,
  });
  const system = await boss.admin('GET', '/api/admin/functions/unfurl-url');
  expect(system.body.function.owner).toBeNull();
});
