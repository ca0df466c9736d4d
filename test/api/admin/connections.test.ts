import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { findModelServers } from '../../../server/platform/providers/index.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { runBuilder } from '../../support/agents/builder.ts';
import { MODELS, startToolVendor, type ToolVendor } from '../../support/agents/tool-vendor.ts';
import { startVendors, type Vendors } from '../../support/agents/vendors.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

/** Models and searches that administrators connect while the service runs. */

const KEY = 'sk-0123456789-wxyz';
const REPORT = { calls: [{ name: 'report', input: { word: 'OK' } }] };

let quire: TestApp;
let boss: Administrator;
let user: TestUser;
let vendor: ToolVendor;
let pictures: Vendors;
beforeAll(async () => {
  [vendor, pictures] = await Promise.all([startToolVendor(), startVendors()]);
  quire = await testApp();
  boss = await administrator(quire, 'connector');
  user = await quire.user('connected');
});
afterAll(async () => {
  await quire.stop();
  await Promise.all([vendor.stop(), pictures.stop()]);
});

const PATH = '/api/admin/providers';
const chat = (fields: object = {}) => ({
  provider: 'openai-compatible',
  url: vendor.url,
  key: KEY,
  model: 'model-a',
  ...fields,
});
const tryOut = (connection?: object, name = 'chat') =>
  boss.admin('POST', `${PATH}/${name}/test`, connection ? { connection } : {});
const connect = (connection: object, name = 'chat') =>
  boss.admin('PUT', `${PATH}/${name}/connection`, connection);
const read = async (name: string) => {
  const { providers } = (await boss.admin('GET', PATH)).body;
  return providers.find((each: { name: string }) => each.name === name);
};
const isBuilderOffered = async () => (await user.call('GET', '/api/builder')).body.isAvailable;

describe('a test before anything is saved', () => {
  test.each([
    ['key', { status: 401, error: { message: `Incorrect API key provided: ${KEY}` } }],
    ['revoked', { status: 401, error: { message: 'This key has been revoked.' } }],
    ['money', { status: 429, error: { code: 'insufficient_quota', message: 'You exceeded your quota' } }],
    ['busy', { status: 429, error: { message: 'Too many' } }],
    ['failed', { status: 500 }],
  ])('says %s', async (reason, turn) => {
    vendor.play(() => turn);
    const { status, body } = await tryOut(chat());
    expect([status, body.isWorking, body.reason]).toEqual([200, false, reason]);
    expect(JSON.stringify(body)).not.toContain(KEY);
  });

  test('lists the models if the one that was asked is unknown', async () => {
    vendor.play(() => ({ status: 404, error: { message: 'The model `model-x` does not exist' } }));
    expect((await tryOut(chat({ model: 'model-x' }))).body).toMatchObject({
      reason: 'model',
      models: MODELS,
    });
  });

  test('says that nothing answers, and that an address has no API', async () => {
    expect((await tryOut(chat({ url: 'http://127.0.0.1:9/v1' }))).body.reason).toBe('unreachable');
    const other = await tryOut(chat({ url: `${pictures.urls.root}/nothing` }));
    expect(other.body.reason).toBe('address');
  });

  test('tells a model that calls tools from one that only talks or refuses them', async () => {
    vendor.play([REPORT]);
    expect((await tryOut(chat())).body).toMatchObject({ isWorking: true, reason: null });
    vendor.play([{ text: 'OK' }]);
    expect((await tryOut(chat())).body).toMatchObject({ isWorking: true, reason: 'tools' });
    vendor.play((_, { body }) =>
      body.tools ? { status: 400, error: { message: 'does not support tools' } } : { text: 'OK' },
    );
    expect((await tryOut(chat())).body).toMatchObject({ isWorking: true, reason: 'tools' });
  });

  test('saves nothing', async () => {
    expect((await read('chat')).connection).toMatchObject({
      source: 'default',
      provider: 'demo',
      keyEnd: null,
    });
    expect(await isBuilderOffered()).toBe(false);
  });
});

describe('a connection', () => {
  test('is used from the next call on, with its key, and the builder is offered', async () => {
    const { status, body } = await connect(chat());
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'chat', state: 'configured', uses: 'model-a' });
    expect(body.connection).toEqual({
      ...{ source: 'dashboard', provider: 'openai-compatible', url: vendor.url, model: 'model-a' },
      ...{ visionModel: null, embedModel: null, keyEnd: 'wxyz', offersBuilder: true, models: [] },
    });
    expect(await isBuilderOffered()).toBe(true);
    expect((await quire.app.health()).providers.chat).toBe('openai-compatible');
    vendor.play([{ text: 'Which colour?' }]);
    const run = await runBuilder(quire, user, { prompt: 'A page about bees' });
    expect(run.error).toBeUndefined();
    expect(vendor.seen.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('keeps its key sealed in the database, and out of every response, log and audit entry', async () => {
    const rows = await readSql(quire, "select value from service_settings where name = 'providers'");
    expect(JSON.stringify(rows)).toContain('sealedKey');
    const { entries } = (await boss.admin('GET', '/api/admin/audit?action=provider.')).body;
    expect(entries[0]).toMatchObject({
      action: 'provider.connect',
      actor: 'connector',
      target: { kind: 'provider', name: 'chat' },
      details: { provider: 'openai-compatible', model: 'model-a', isNewKey: true },
    });
    const list = (await boss.admin('GET', PATH)).body;
    const exported = await user.call('GET', '/api/auth/me');
    for (const place of [rows, entries, list, exported.body, quire.logs])
      expect(JSON.stringify(place)).not.toContain(KEY);
  });

  test('keeps its key when another model is chosen, and takes it to no other host', async () => {
    const { key: _, ...keyless } = chat({ model: 'model-b' });
    expect((await connect(keyless)).body.connection).toMatchObject({ model: 'model-b', keyEnd: 'wxyz' });
    pictures.behave({ status: 401 });
    expect((await tryOut({ ...keyless, url: pictures.urls.chat })).body.reason).toBe('key');
    expect(pictures.seen.at(-1)?.headers.authorization).toBeUndefined();
    pictures.behave('well');
    const anthropic = { provider: 'anthropic', url: vendor.url, model: 'claude' };
    expect((await connect(anthropic)).status).toBe(400);
    // Images at the same host use the same key.
    const { key, ...images } = chat({ model: 'painter' });
    expect((await connect(images, 'images')).body.connection.keyEnd).toBe('wxyz');
    expect((await connect({ ...images, key: null }, 'images')).body.connection.keyEnd).toBeNull();
    expect(key).toBe(KEY);
  });

  test('that is revoked later is a problem until it works again', async () => {
    expect((await read('chat')).problem).toBeNull();
    vendor.play(() => ({ status: 401, error: { message: 'This key has been revoked.' } }));
    await runBuilder(quire, user, { prompt: 'Another page' });
    expect((await read('chat')).problem).toBe('revoked');
    vendor.play(() => ({ status: 429, error: { code: 'insufficient_quota' } }));
    await runBuilder(quire, user, { prompt: 'Another page' });
    expect((await read('chat')).problem).toBe('money');
    vendor.play([REPORT]);
    expect((await tryOut()).body.isWorking).toBe(true);
    expect((await read('chat')).problem).toBeNull();
  });

  test('without tools does not offer the builder', async () => {
    expect((await connect(chat({ offersBuilder: false }))).body.connection.offersBuilder).toBe(false);
    expect((await user.call('GET', '/api/builder')).body).toMatchObject({
      isAvailable: false,
      problem: 'no_tools',
    });
    expect((await connect(chat())).body.connection.offersBuilder).toBe(true);
  });

  test('of a search is used too', async () => {
    const openverse = { provider: 'openverse', url: pictures.urls.openverse };
    expect((await tryOut(openverse, 'image-search')).body.isWorking).toBe(true);
    expect((await connect(openverse, 'image-search')).body).toMatchObject({
      state: 'configured',
      uses: 'openverse',
    });
    expect((await tryOut(undefined, 'image-search')).body.message).toContain('3 images');
  });

  test('whose key cannot be opened any more says so, and works again with a new one', async () => {
    const [row] = await readSql<{ value: string }>(
      quire,
      "select value from service_settings where name = 'providers'",
    );
    const other = await testApp();
    try {
      const admin = await administrator(other, 'connector-two');
      const value = row?.value.replaceAll("'", "''");
      await runSql(
        other,
        `insert into service_settings (name, value, updated_at) values ('providers', '${value}', 1)`,
      );
      await admin.admin('PUT', '/api/admin/new-user-credits', { credits: 3 });
      const { providers } = (await admin.admin('GET', PATH)).body;
      expect(providers.find((each: { name: string }) => each.name === 'chat')).toMatchObject({
        problem: 'key-lost',
        connection: { source: 'dashboard', keyEnd: null },
      });
      const { body } = await admin.admin('PUT', `${PATH}/chat/connection`, chat());
      expect(body).toMatchObject({ problem: null, connection: { keyEnd: 'wxyz' } });
    } finally {
      await other.stop();
    }
  });

  test('ends when it is disconnected, and its key is gone', async () => {
    for (const name of ['chat', 'images', 'image-search']) {
      const { status, body } = await boss.admin('DELETE', `${PATH}/${name}/connection`);
      expect([status, body.connection.source, body.connection.keyEnd]).toEqual([200, 'default', null]);
    }
    expect(await isBuilderOffered()).toBe(false);
    const rows = await readSql(quire, "select value from service_settings where name = 'providers'");
    expect(JSON.stringify(rows)).not.toContain('sealedKey');
  });
});

test('what cannot be a connection is refused', async () => {
  for (const [fields, name] of [
    [{ provider: 'openverse' }, 'chat'],
    [{ provider: 'anthropic', key: KEY }, 'chat'],
    [{ url: undefined }, 'chat'],
    [{ provider: 'anthropic' }, 'images'],
    [{ url: 'ftp://example.com' }, 'chat'],
    [{ url: 'http://a:b@example.com' }, 'chat'],
    [{ url: `http://example.com/${'x'.repeat(500)}` }, 'chat'],
    [{ key: 'a\r\nx-evil: 1' }, 'chat'],
    [{ key: 'x'.repeat(501) }, 'chat'],
    [{ key: 'schlüssel' }, 'chat'],
    [{ model: 'x'.repeat(201) }, 'chat'],
    [{ model: 'a\nb' }, 'chat'],
    [{ surprise: true }, 'chat'],
  ] as const) {
    const { model: _, ...modelless } = chat();
    const base = 'provider' in fields && fields.provider === 'anthropic' ? modelless : chat();
    expect([fields, (await connect({ ...base, ...fields }, name)).status]).toEqual([fields, 400]);
  }
  const longest = { key: 'x'.repeat(500), model: 'm'.repeat(200) };
  expect((await connect(chat(longest))).status).toBe(200);
  expect((await tryOut(chat(), 'mail')).status).toBe(400);
  for (const [method, path] of [
    ['GET', '/api/admin/model-servers'],
    ['GET', '/api/admin/new-user-credits'],
    ['PUT', `${PATH}/chat/connection`],
    ['DELETE', `${PATH}/chat/connection`],
  ] as const)
    expect((await user.call(method, path, method === 'PUT' ? { body: chat() } : {})).status).toBe(403);
  await boss.admin('DELETE', `${PATH}/chat/connection`);
});

test('new accounts get credits for the demo, none for a real provider, or what an administrator sets', async () => {
  const credits = async (name: string) =>
    (await (await quire.user(name)).call('GET', '/api/builder')).body.credits;
  expect(await credits('rich')).toBe(20);
  await connect(chat());
  expect(await credits('poor')).toBe(0);
  const set = await boss.admin('PUT', '/api/admin/new-user-credits', { credits: 7 });
  expect(set.body).toEqual({ credits: 7, source: 'dashboard' });
  expect(await credits('lucky')).toBe(7);
  for (const wrong of [-1, 1.5, 1_000_001])
    expect((await boss.admin('PUT', '/api/admin/new-user-credits', { credits: wrong })).status).toBe(400);
  await boss.admin('PUT', '/api/admin/new-user-credits', { credits: null });
  expect((await boss.admin('GET', '/api/admin/new-user-credits')).body).toEqual({
    credits: 0,
    source: 'default',
  });
});

test('what the environment sets is shown, and cannot be changed', async () => {
  const fixed = await testApp({
    ...{ QUIRE_AI_PROVIDER: 'openai-compatible', QUIRE_AI_URL: vendor.url, QUIRE_AI_MODEL: 'model-a' },
    ...{ QUIRE_AI_KEY: KEY, QUIRE_CREDITS_NEW_USER: '5' },
  });
  try {
    const admin = await administrator(fixed, 'connector-three');
    const { providers } = (await admin.admin('GET', PATH)).body;
    expect(providers.find((each: { name: string }) => each.name === 'chat')).toMatchObject({
      setting: 'QUIRE_AI_PROVIDER',
      connection: { source: 'environment', url: vendor.url, keyEnd: 'wxyz', offersBuilder: true, models: [] },
    });
    for (const answer of [
      await admin.admin('PUT', `${PATH}/chat/connection`, chat({ url: pictures.urls.chat })),
      await admin.admin('DELETE', `${PATH}/chat/connection`),
      await admin.admin('POST', `${PATH}/chat/test`, { connection: chat({ url: pictures.urls.chat }) }),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.body.error).toContain('QUIRE_AI_PROVIDER');
    }
    const credits = await admin.admin('PUT', '/api/admin/new-user-credits', { credits: 1 });
    expect([credits.status, credits.body.error]).toEqual([
      409,
      expect.stringContaining('QUIRE_CREDITS_NEW_USER'),
    ]);
    expect((await admin.admin('PUT', `${PATH}/images/connection`, chat())).status).toBe(200);
  } finally {
    await fixed.stop();
  }
});

test('model servers on this machine are found, and others are left out', async () => {
  const port = Number(new URL(vendor.url).port);
  const silent = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Promise<Response>(() => undefined),
  });
  const away = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.redirect(`${vendor.url}/models`),
  });
  try {
    const places: [string, number][] = [
      ['Ollama', port],
      ['silent', silent.port ?? 0],
      ['redirects', away.port ?? 0],
      ['no API', Number(new URL(pictures.urls.root).port)],
      ['nothing', 9],
    ];
    expect(await findModelServers(places)).toEqual([{ name: 'Ollama', url: vendor.url, models: MODELS }]);
  } finally {
    await Promise.all([silent.stop(true), away.stop(true)]);
  }
  expect((await boss.admin('GET', '/api/admin/model-servers')).status).toBe(200);
});
