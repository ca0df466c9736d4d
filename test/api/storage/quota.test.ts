import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { handler } from '../../support/functions/app.ts';

/** What counts towards the storage quota of an owner, to the byte. */

const QUOTA = 1_200_000;
const HTML = '<!doctype html><title>t</title>';
const REFUSED = { status: 403, body: { code: 'QUOTA_EXCEEDED' } };

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_BYTES: String(QUOTA) });
});
afterAll(() => quire.stop());

/**
 * The usage of a user: a page that fills the rest of the quota can be published, and one a byte larger
 * cannot. What uses storage has the same bytes.
 */
async function expectUsed(user: TestUser, bytes: number): Promise<void> {
  const report = (await user.call('GET', '/api/storage')).body;
  expect([report.bytes, report.otherBytes]).toEqual([bytes, 0]);
  const publish = (size: number) =>
    user.call('POST', '/api/pages', { body: { name: 'Probe', html_content: 'x'.repeat(size) } });
  expect(await publish(QUOTA - bytes + 1)).toMatchObject(REFUSED);
  const fits = await publish(QUOTA - bytes);
  expect(fits.status).toBe(201);
  expect((await user.call('DELETE', `/api/pages/${fits.body.page.id}`)).status).toBe(200);
}

const publish = (user: TestUser, fields: object = {}) => user.publish({ html_content: HTML, ...fields });

test('functions for agents count as they are stored, and are freed with their page', async () => {
  const user = await quire.user();
  const source = handler('return null');
  await user.call('POST', '/api/functions', { body: { slug: 'tool', code: source } });
  const { id } = await publish(user);
  const entry = { slug: 'tool', description: 'é', inputSchema: { type: 'object' } };
  const patch = (agent_functions: unknown) =>
    user.call('PATCH', `/api/pages/${id}`, { body: { agent_functions } });
  expect((await patch([entry])).status).toBe(200);
  await expectUsed(user, source.length + HTML.length + JSON.stringify([entry]).length + 1);
  expect((await patch([])).status).toBe(200);
  await expectUsed(user, source.length + HTML.length);
  expect((await patch([entry])).status).toBe(200);
  expect((await user.call('DELETE', `/api/pages/${id}`)).status).toBe(200);
  await expectUsed(user, source.length);
});

describe('versions of a function', () => {
  const one = handler('return new Response("one")');
  const two = handler('return new Response("é and more")');
  const bytes = Buffer.byteLength;
  let count = 0;
  const deployTwo = async (user: TestUser) => {
    const slug = `versions-${++count}`;
    const path = `/api/functions/${slug}`;
    expect((await user.call('POST', '/api/functions', { body: { slug, code: one } })).status).toBe(201);
    expect((await user.call('PATCH', path, { body: { code: two } })).status).toBe(200);
    return { path, restore: (version: number) => user.call('POST', `${path}/versions/${version}/restore`) };
  };

  test('count as they are stored, and are freed with the function', async () => {
    const user = await quire.user();
    const { path, restore } = await deployTwo(user);
    await expectUsed(user, bytes(one) + bytes(two));
    expect((await restore(1)).status).toBe(200);
    await expectUsed(user, 2 * bytes(one) + bytes(two));
    expect((await user.call('PATCH', path, { body: { code: one } })).status).toBe(200);
    await expectUsed(user, 2 * bytes(one) + bytes(two));
    expect((await user.call('DELETE', path)).status).toBe(204);
    await expectUsed(user, 0);
  });

  test('that exactly fit can be restored and deployed; past that, the current one keeps serving', async () => {
    const user = await quire.user();
    const { path, restore } = await deployTwo(user);
    const fill = QUOTA - 2 * bytes(one) - bytes(two);
    await publish(user, { html_content: 'x'.repeat(fill) });
    expect((await restore(1)).status).toBe(200);
    expect(await restore(1)).toMatchObject(REFUSED);
    expect(await user.call('PATCH', path, { body: { code: two } })).toMatchObject(REFUSED);
    const { body } = await user.call('GET', `${path}/versions`);
    expect(body.versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect(await (await quire.request(path, { method: 'POST' })).text()).toBe('one');
  });

  test('make room for the next one if it is the oldest that has to go', async () => {
    const user = await quire.user();
    const { path, restore } = await deployTwo(user);
    // Version 1 is the oldest of 50.
    await runSql(
      quire,
      `update function_versions set version = 50 where version = 2
        and function_id = (select id from functions where slug = '${path.split('/').at(-1)}')`,
      `update functions set version = 50 where slug = '${path.split('/').at(-1)}'`,
    );
    await publish(user, { html_content: 'x'.repeat(QUOTA - bytes(one) - bytes(two)) });
    expect(await restore(50)).toMatchObject(REFUSED);
    expect((await restore(1)).status).toBe(200);
  });

  test('count exactly if a node of the previous release deployed one of them', async () => {
    const user = await quire.user();
    const old = handler('return new Response("from an old node")');
    // It stores no version, and charges the difference to the code before.
    const deployOld = (path: string) =>
      runSql(
        quire,
        `update functions set code = '${old}', version = version + 1 where slug = '${path.split('/').at(-1)}'`,
        `update usage set bytes = bytes + ${bytes(old) - bytes(two)} where user_id = ${user.id}`,
      );
    const first = await deployTwo(user);
    await deployOld(first.path);
    expect((await first.restore(1)).body.version).toBe(4);
    await expectUsed(user, 2 * bytes(one) + bytes(two) + bytes(old));
    expect((await user.call('DELETE', first.path)).status).toBe(204);
    await expectUsed(user, 0);
    const second = await deployTwo(user);
    await deployOld(second.path);
    expect((await user.call('DELETE', second.path)).status).toBe(204);
    await expectUsed(user, 0);
  });
});

test('files count once for each page that has or had them, with their lists, and are freed with the page', async () => {
  const user = await quire.user();
  const page = await publish(user);
  const put = async (id: number, path: string, content: string) => {
    const headers = { authorization: `Bearer ${user.token}` };
    const response = await quire.request(`/api/pages/${id}/files/${path}`, {
      method: 'PUT',
      headers,
      body: content,
    });
    return response.status;
  };
  /** What the stored lists of a page take up. */
  const lists = async (id: number) => {
    const text = `select coalesce(sum(octet_length(files)), 0) as bytes from page_manifests where page_id = ${id}`;
    return Number((await readSql<{ bytes: number }>(quire, text))[0]?.bytes);
  };
  expect(await put(page.id, 'a', 'a'.repeat(1000))).toBe(200);
  expect(await put(page.id, 'b', 'a'.repeat(1000))).toBe(200);
  expect(await put(page.id, 'a', 'b'.repeat(500))).toBe(200);
  // Each change of a file is a version without a document of its own, of 200 bytes.
  const first = HTML.length + 3 * 200 + 1500 + (await lists(page.id));
  await expectUsed(user, first);
  const fork = (await user.call('POST', `/api/pages/${page.id}/fork`)).body.page;
  const second = HTML.length + 1500 + (await lists(fork.id));
  await expectUsed(user, first + second);
  expect(await put(page.id, 'c', 'c'.repeat(QUOTA - first - second))).toBe(403);
  await expectUsed(user, first + second);
  expect((await user.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
  await expectUsed(user, second);
  expect((await user.call('DELETE', `/api/pages/${fork.id}`)).status).toBe(200);
  await expectUsed(user, 0);
});

describe('messages', () => {
  test('count, and are freed with their page', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    const add = (content: string) =>
      user.call('POST', `/api/pages/${id}/messages`, { body: { role: 'user', content } });
    expect((await add('é'.repeat(1000))).status).toBe(201);
    expect((await add('x')).status).toBe(201);
    await expectUsed(user, HTML.length + 2001);
    await user.publish({ html_content: 'x'.repeat(QUOTA - HTML.length - 2001 - 10) });
    expect(await add('x'.repeat(11))).toMatchObject(REFUSED);
    expect((await add('x'.repeat(10))).status).toBe(201);
    expect((await user.call('DELETE', `/api/pages/${id}`)).status).toBe(200);
    await expectUsed(user, QUOTA - HTML.length - 2001 - 10);
  });

  test('are limited to 10,000 per page; existing ones stay readable', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    const rows = Array.from({ length: 9_999 }, (_, i) => `(${id}, 'user', 'm${i}', 1)`);
    await runSql(quire, `insert into page_messages (page_id, role, content, created_at) values ${rows}`);
    const add = () =>
      user.call('POST', `/api/pages/${id}/messages`, { body: { role: 'user', content: 'last' } });
    expect((await add()).status).toBe(201);
    expect(await add()).toMatchObject(REFUSED);
    const { status, body } = await user.call('GET', `/api/pages/${id}`);
    expect([status, body.messages.length, body.messages.at(-1).content]).toEqual([200, 200, 'last']);
  });

  test('are listed 200 at a time, newest first, and before= goes back', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    const rows = Array.from({ length: 450 }, (_, i) => `(${id}, 'user', 'm${i}', 1)`);
    await runSql(quire, `insert into page_messages (page_id, role, content, created_at) values ${rows}`);
    const seen: string[] = [];
    for (const path of [`/api/pages/${id}`, `/api/pages/${id}/messages`]) {
      seen.length = 0;
      for (let query = ''; ; ) {
        const { messages } = (await user.call('GET', path + query)).body;
        if (messages.length === 0) break;
        seen.unshift(...messages.map(({ content }: { content: string }) => content));
        query = `?before=${messages[0].id}`;
      }
      expect(seen).toEqual(Array.from({ length: 450 }, (_, i) => `m${i}`));
    }
    for (const before of ['0', 'x', '-1', '1.5'])
      expect((await user.call('GET', `/api/pages/${id}?before=${before}`)).status).toBe(400);
    const stranger = await quire.user();
    expect((await stranger.call('GET', `/api/pages/${id}/messages`)).status).toBe(403);
  });

  test('are listed fewer at a time if they are long', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    const long = 'x'.repeat(1_500_000);
    const rows = Array.from({ length: 4 }, () => `(${id}, 'user', '${long}', 1)`);
    await runSql(quire, `insert into page_messages (page_id, role, content, created_at) values ${rows}`);
    const { messages } = (await user.call('GET', `/api/pages/${id}/messages`)).body;
    expect(messages).toHaveLength(2);
    const rest = (await user.call('GET', `/api/pages/${id}/messages?before=${messages[0].id}`)).body.messages;
    expect(rest).toHaveLength(2);
    // Their bytes were never charged, and removing them leaves no negative usage.
    expect((await user.call('DELETE', `/api/pages/${id}`)).status).toBe(200);
    await expectUsed(user, 0);
  });
});

describe('schemas and specs', () => {
  const makeSchema = (fields: number) => ({
    fields: Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field${i}`, { type: 'string' }])),
  });

  test('count with their size, also when they change, and are freed', async () => {
    const user = await quire.user();
    const { id } = await publish(user, { storage_mode: 'social_app' });
    const path = `/api/pages/${id}/social-data/things/schema`;
    const put = (schema: object) => user.call('PUT', path, { body: { schema } });
    const size = async () => JSON.stringify((await user.call('GET', path)).body.schema).length;
    expect((await put(makeSchema(100))).status).toBe(200);
    await expectUsed(user, HTML.length + (await size()));
    expect((await put(makeSchema(3))).status).toBe(200);
    const schemaBytes = await size();
    await expectUsed(user, HTML.length + schemaBytes);
    const rules = { read: 'anyone', update: 'member' };
    expect((await put({ ...makeSchema(3), rules })).status).toBe(200);
    await expectUsed(user, HTML.length + schemaBytes + JSON.stringify(rules).length);
    expect((await put(makeSchema(3))).status).toBe(200);

    const spec = `/api/pages/${id}/agent-spec`;
    const putSpec = (text: string) => user.call('PUT', spec, { body: { spec: text } });
    expect((await putSpec('é'.repeat(500))).status).toBe(200);
    expect((await putSpec('ü'.repeat(400))).status).toBe(200);
    await expectUsed(user, HTML.length + schemaBytes + 800);

    // A fork is charged for everything it copies.
    const visitor = await quire.user();
    const fork = await visitor.call('POST', `/api/pages/${id}/fork`);
    expect(fork.status).toBe(201);
    await expectUsed(visitor, HTML.length + schemaBytes + 800);
    expect((await visitor.call('DELETE', `/api/pages/${fork.body.page.id}`)).status).toBe(200);
    await expectUsed(visitor, 0);
    await visitor.publish({ html_content: 'x'.repeat(QUOTA - HTML.length - schemaBytes - 799) });
    expect(await visitor.call('POST', `/api/pages/${id}/fork`)).toMatchObject(REFUSED);
    expect((await visitor.call('GET', '/api/pages')).body.total).toBe(1);

    expect((await user.call('DELETE', spec)).status).toBe(204);
    expect((await user.call('DELETE', path)).status).toBe(204);
    await expectUsed(user, HTML.length);
  });

  test('are refused above the quota', async () => {
    const user = await quire.user();
    const { id } = await publish(user, { storage_mode: 'social_app' });
    await user.publish({ html_content: 'x'.repeat(QUOTA - HTML.length - 100) });
    const put = (path: string, body: object) => user.call('PUT', `/api/pages/${id}/${path}`, { body });
    expect(await put('social-data/things/schema', { schema: makeSchema(20) })).toMatchObject(REFUSED);
    expect(await put('agent-spec', { spec: 'x'.repeat(101) })).toMatchObject(REFUSED);
    expect((await put('agent-spec', { spec: 'x'.repeat(100) })).status).toBe(200);
  });

  test('a page can have 100 collections, and keeps more if it already has them', async () => {
    const user = await quire.user();
    const { id } = await publish(user, { storage_mode: 'social_app' });
    const rows = Array.from({ length: 99 }, (_, i) => `(${id}, 'social_data', 'c${i}', null)`);
    await runSql(quire, `insert into collections (page_id, storage_type, name, schema) values ${rows}`);
    const add = (collection: string) =>
      user.call('POST', `/api/pages/${id}/social-data/${collection}`, { body: { data: { a: 1 } } });
    expect((await add('hundredth')).status).toBe(201);
    expect(await add('too_many')).toMatchObject(REFUSED);
    await runSql(
      quire,
      `insert into collections (page_id, storage_type, name, schema) values (${id}, 'social_data', 'older', null)`,
    );
    expect((await add('older')).status).toBe(201);
    expect(await add('too_many')).toMatchObject(REFUSED);
  });
});

test('saved queries count in bytes with their names, and are freed with the last function of the database', async () => {
  const user = await quire.user();
  const code = handler('return null');
  const deploy = (fields: object) => user.call('POST', '/api/functions', { body: { code, ...fields } });
  expect((await deploy({ slug: 'queries', enableDatabase: true })).status).toBe(201);
  expect((await deploy({ slug: 'sharing', useDatabase: 'queries' })).status).toBe(201);
  const used = 2 * code.length;
  const path = '/api/functions/sharing/database/queries';
  const { body } = await user.call('POST', path, { body: { name: 'name', sql: 'é'.repeat(1000) } });
  await expectUsed(user, used + 2004);
  await user.call('PATCH', `${path}/${body.id}`, { body: { sql: 'SELECT 1' } });
  await expectUsed(user, used + 12);
  const other = await user.call('POST', path, { body: { name: 'other', sql: 'SELECT 1' } });
  expect((await user.call('DELETE', `${path}/${other.body.id}`)).status).toBe(204);
  await expectUsed(user, used + 12);
  expect((await user.call('DELETE', '/api/functions/queries')).status).toBe(204);
  await expectUsed(user, code.length + 12);
  const full = { name: 'full', html_content: 'x'.repeat(QUOTA - code.length - 12) };
  const page = await user.publish(full);
  expect(await user.call('POST', path, { body: { name: 'past', sql: 'SELECT 1' } })).toMatchObject(REFUSED);
  await user.call('DELETE', `/api/pages/${page.id}`);
  expect((await user.call('DELETE', '/api/functions/sharing')).status).toBe(204);
  await expectUsed(user, 0);
});

describe('secrets', () => {
  const KB = 1024;
  async function deployFunction(user: TestUser, slug: string) {
    const code = handler(
      'return Response.json(Object.keys(env).filter((name) => typeof env[name] === "string").length)',
    );
    expect((await user.call('POST', '/api/functions', { body: { slug, code } })).status).toBe(201);
    const put = (name: string, value: string) =>
      user.call('PUT', `/api/functions/${slug}/secrets/${name}`, { body: { value } });
    return { code, put, path: `/api/functions/${slug}` };
  }

  test('count with their names, and are freed', async () => {
    const user = await quire.user();
    const { code, put, path } = await deployFunction(user, 'counted');
    for (const size of [0, 1, 2, 3, 100]) {
      expect((await put('NAME', 'x'.repeat(size))).status).toBe(204);
      await expectUsed(user, code.length + 4 + size);
    }
    expect((await put('OTHER', 'é'.repeat(10))).status).toBe(204);
    await expectUsed(user, code.length + 104 + 25);
    expect((await user.call('DELETE', `${path}/secrets/NAME`)).status).toBe(204);
    await expectUsed(user, code.length + 25);
    expect((await user.call('DELETE', path)).status).toBe(204);
    await expectUsed(user, 0);
  });

  test('are limited to 100 per function', async () => {
    const user = await quire.user();
    const { put, path } = await deployFunction(user, 'many');
    for (let i = 1; i <= 100; i++) expect((await put(`S${i}`, 'x')).status).toBe(204);
    expect(await put('S101', 'x')).toMatchObject(REFUSED);
    expect((await put('S1', 'longer')).status).toBe(204);
    expect((await quire.call('POST', path)).body).toBe(100);
    expect((await user.call('DELETE', `${path}/secrets/S1`)).status).toBe(204);
    expect((await put('S101', 'x')).status).toBe(204);
  });

  test('are limited to 1 MB in total', async () => {
    const user = await quire.user();
    const { put, path } = await deployFunction(user, 'large');
    for (let i = 1; i <= 16; i++) expect((await put(`S${i}`, 'x'.repeat(64 * KB))).status).toBe(204);
    expect(await put('MORE', 'x')).toMatchObject(REFUSED);
    expect((await put('S1', 'x'.repeat(64 * KB - 1))).status).toBe(204);
    expect((await put('MORE', 'x')).status).toBe(204);
    expect(await put('MORE', 'xx')).toMatchObject(REFUSED);
    expect((await quire.call('POST', path)).body).toBe(17);
  });
});
