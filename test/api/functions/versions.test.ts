import { afterAll, describe, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { functionApp, handler } from '../../support/functions/app.ts';

const { quire, owner, stranger, deploy } = await functionApp();
afterAll(() => quire.stop());

const says = (text: string) => handler(`return new Response(${JSON.stringify(text)})`);
const text = async (slug: string) =>
  (await quire.request(`/api/functions/${slug}`, { method: 'POST' })).text();
const patch = (slug: string, body: object) => owner.call('PATCH', `/api/functions/${slug}`, { body });
const read = (slug: string, version: number | string, as: TestUser = owner) =>
  as.call('GET', `/api/functions/${slug}/versions/${version}`);
const restore = (slug: string, version: number | string, as: TestUser = owner) =>
  as.call('POST', `/api/functions/${slug}/versions/${version}/restore`);
const list = async (slug: string) =>
  (await owner.call('GET', `/api/functions/${slug}/versions`)).body.versions;
const numbers = async (slug: string) => (await list(slug)).map(({ version }: { version: number }) => version);
const findId = async (slug: string) => {
  const [row] = await readSql<{ id: number }>(quire, `select id from functions where slug = '${slug}'`);
  return Number(row?.id);
};
/** A version as a stored row that nobody deployed. */
const addRow = (id: number, version: number, code: string, bundle?: string) =>
  `insert into function_versions (function_id, version, size, created_at, code, bundle)
    values (${id}, ${version}, 0, 1, '${code}', ${bundle === undefined ? 'null' : `'${bundle}'`})`;

describe('versions of a function', () => {
  test('can have notes of 500 characters, set with a deploy or later', async () => {
    const slug = await deploy(says('one'), { note: 'first' });
    await patch(slug, { code: says('two'), note: ' second ' });
    const notes = async () => (await list(slug)).map(({ note }: { note?: string }) => note);
    expect(await notes()).toEqual(['second', 'first']);
    await patch(slug, { note: 'still the second' });
    const change = (note: string, version: number | string = 1, as = owner) =>
      as.call('PATCH', `/api/functions/${slug}/versions/${version}`, { body: { note } });
    expect((await change('')).body).toMatchObject({ version: 1, current: false });
    expect(await notes()).toEqual(['still the second', undefined]);
    expect((await change('ü'.repeat(500))).status).toBe(200);
    expect((await change('ü'.repeat(501))).status).toBe(400);
    expect((await change('x', 9)).status).toBe(404);
    expect((await change('x', 1, stranger)).status).toBe(403);
    expect((await read(slug, 1)).body.note).toBe('ü'.repeat(500));
  });

  test('each deploy of other code makes one, which can be listed, read and restored', async () => {
    const slug = await deploy(says('one'));
    const two = await patch(slug, { code: says('twice'), displayName: 'Two' });
    expect(two.body).toMatchObject({ version: 2, displayName: 'Two' });
    expect((await patch(slug, { code: says('twice') })).body.version).toBe(2);
    expect((await patch(slug, { description: 'No code' })).body.version).toBe(2);
    const createdAt = expect.stringMatching(/Z$/);
    expect(await list(slug)).toEqual([
      { version: 2, createdAt, size: says('twice').length, current: true },
      { version: 1, createdAt, size: says('one').length, current: false },
    ]);
    expect((await read(slug, 1)).body).toEqual({
      version: 1,
      createdAt,
      size: says('one').length,
      current: false,
      code: says('one'),
      files: {},
    });
    expect(await text(slug)).toBe('twice');
    const restored = await restore(slug, 1);
    expect([restored.status, restored.body]).toEqual([
      200,
      { success: true, message: 'Version 1 is back, as version 3.', version: 3 },
    ]);
    expect(await text(slug)).toBe('one');
    const code = await owner.call('GET', `/api/functions/${slug}/code`);
    expect(code.body).toMatchObject({ code: says('one'), version: 3 });
    expect(await numbers(slug)).toEqual([3, 2, 1]);
    // Only the code is restored.
    expect((await quire.call('GET', `/api/functions/${slug}`)).body.displayName).toBe('Two');
  });

  test('a version that does not exist cannot be read or restored', async () => {
    const slug = await deploy(says('one'));
    for (const missing of [0, 2, 999_999_999, 1_000_000_000, 'x', '1.0', '%00']) {
      expect([missing, (await read(slug, missing)).status]).toEqual([missing, 404]);
      expect([missing, (await restore(slug, missing)).status]).toEqual([missing, 404]);
    }
    expect(await numbers(slug)).toEqual([1]);
  });

  test('needs the owner and the scopes', async () => {
    const slug = await deploy(says('one'));
    const reader = await owner.call('POST', '/api/auth/tokens', {
      body: { name: 'r', scopes: ['functions:read'] },
    });
    const token = reader.body.token;
    const path = `/api/functions/${slug}/versions`;
    expect((await quire.call('GET', path, { token })).status).toBe(200);
    expect((await quire.call('POST', `${path}/1/restore`, { token })).body.scope).toBe('functions:write');
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/1'],
      ['POST', '/1/restore'],
    ] as const) {
      expect((await quire.call(method, path + rest)).status).toBe(401);
      expect((await stranger.call(method, path + rest)).status).toBe(403);
    }
    await patch(slug, { isPublic: false });
    expect((await stranger.call('GET', path)).status).toBe(404);
    expect((await owner.call('GET', '/api/functions/unfurl-url/versions')).status).toBe(403);
    expect(await numbers(slug)).toEqual([1]);
  });

  test('are 50 at most: the next deploy deletes the oldest', async () => {
    const slug = await deploy(says('one'));
    const id = await findId(slug);
    const between = Array.from({ length: 47 }, (_, n) => addRow(id, n + 2, says(`${n + 2}`)));
    await runSql(
      quire,
      ...between,
      addRow(id, 49, says('49')),
      `update functions set version = 49 where id = ${id}`,
    );
    expect((await patch(slug, { code: says('fifty') })).body.version).toBe(50);
    expect(await numbers(slug)).toHaveLength(50);
    expect((await read(slug, 1)).status).toBe(200);
    expect((await patch(slug, { code: says('fifty-one') })).body.version).toBe(51);
    expect(await numbers(slug)).toHaveLength(50);
    expect([(await read(slug, 1)).status, (await restore(slug, 1)).status]).toEqual([404, 404]);
    // The oldest that is left can be restored, although it is deleted by that.
    expect((await restore(slug, 2)).body.version).toBe(52);
    expect((await numbers(slug)).at(-1)).toBe(3);
    expect(await text(slug)).toBe('2');
  });
});

describe('restoring a version', () => {
  test('that no longer loads is 422, and the current one keeps serving', async () => {
    const slug = await deploy(says('one'));
    await owner.call('PUT', `/api/functions/${slug}/secrets/KEY`, { body: { value: 'k' } });
    const needsKey = `import { env } from 'cloudflare:workers';\nif (!env.KEY) throw new Error('no key');\n${says('keyed')}`;
    expect((await patch(slug, { code: needsKey })).status).toBe(200);
    expect((await patch(slug, { code: says('three') })).status).toBe(200);
    expect((await owner.call('DELETE', `/api/functions/${slug}/secrets/KEY`)).status).toBe(204);
    const failed = await restore(slug, 2);
    expect([failed.status, failed.body]).toEqual([
      422,
      expect.objectContaining({ code: 'DEPLOY_FAILED', line: 2, error: expect.stringContaining('no key') }),
    ]);
    expect(await text(slug)).toBe('three');
    expect(await numbers(slug)).toEqual([3, 2, 1]);
  });

  test('keeps secrets and the database as they are', async () => {
    const counts = handler(`
      await env.DB.exec('create table if not exists t (n)');
      await env.DB.prepare('insert into t values (1)').run();
      return new Response(env.KEY + (await env.DB.prepare('select count(*) as n from t').first('n')));`);
    const slug = await deploy(counts, { enableDatabase: true });
    const key = (value: string) =>
      owner.call('PUT', `/api/functions/${slug}/secrets/KEY`, { body: { value } });
    await key('old');
    expect(await text(slug)).toBe('old1');
    await patch(slug, { code: says('other') });
    await key('new');
    await restore(slug, 1);
    expect(await text(slug)).toBe('new2');
  });

  test('brings back its files and TypeScript', async () => {
    const files = { 'lib/word.ts': "export const word: string = 'typed';" };
    const code = `import { word } from './lib/word.ts';\n${handler('return new Response(word satisfies string)')}`;
    const slug = await deploy(code, { files });
    expect(await text(slug)).toBe('typed');
    expect((await patch(slug, { code: says('plain'), files: {} })).status).toBe(200);
    expect((await read(slug, 2)).body.files).toEqual({});
    expect((await read(slug, 1)).body).toMatchObject({ code, files });
    await restore(slug, 1);
    expect(await text(slug)).toBe('typed');
    expect((await owner.call('GET', `/api/functions/${slug}/code`)).body).toMatchObject({ code, files });
  });

  test('runs what was made of it then, and returns what was sent', async () => {
    const slug = await deploy(says('one'));
    await runSql(
      quire,
      addRow(await findId(slug), 2, 'import "npm:gone@1"', says('bundled')),
      `update functions set version = 2 where slug = '${slug}'`,
    );
    await patch(slug, { code: says('three') });
    expect((await restore(slug, 2)).body.version).toBe(4);
    expect(await text(slug)).toBe('bundled');
    // A secret starts another cell, which reads its program from the database.
    await owner.call('PUT', `/api/functions/${slug}/secrets/KEY`, { body: { value: 'x' } });
    expect(await text(slug)).toBe('bundled');
    const { body } = await owner.call('GET', `/api/functions/${slug}/code`);
    expect(body).toMatchObject({ code: 'import "npm:gone@1"', version: 4 });
    expect((await patch(slug, { code: says('five') })).status).toBe(200);
    expect(await text(slug)).toBe('five');
  });
});

describe('deploys and restores at the same time', () => {
  test('each make a version of their own, and the last one serves', async () => {
    const slug = await deploy(says('v1'));
    await patch(slug, { code: says('v2') });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 === 0 ? patch(slug, { code: says(`deploy ${n}`) }) : restore(slug, n % 4 === 1 ? 1 : 2),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const made = answers.map(({ body }) => body.version).sort((a, b) => a - b);
    expect(made).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await numbers(slug)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    for (const [n, { body }] of answers.entries()) {
      const expected = n % 2 === 0 ? `deploy ${n}` : n % 4 === 1 ? 'v1' : 'v2';
      expect((await read(slug, body.version)).body.code).toBe(says(expected));
    }
    const { body } = await owner.call('GET', `/api/functions/${slug}/code`);
    expect([says(await text(slug)), body.version]).toEqual([body.code, 10]);
  });

  test('with baseVersion only one of them succeeds', async () => {
    const slug = await deploy(says('one'));
    const late = await patch(slug, { code: says('late'), baseVersion: 7 });
    expect([late.status, late.body]).toMatchObject([409, { code: 'CONFLICT', currentVersion: 1 }]);
    expect((await patch(slug, { description: 'x', baseVersion: 2 })).status).toBe(409);
    expect((await patch(slug, { description: 'x', baseVersion: 1 })).status).toBe(200);
    expect((await patch(slug, { code: says('x'), baseVersion: '1' })).status).toBe(400);
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((each) => patch(slug, { code: says(each), baseVersion: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await numbers(slug)).toEqual([2, 1]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await text(slug)).toBe(['a', 'b', 'c'][winner] as string);
  });
});

test('a version that a node of the previous release deployed is listed, and kept with the next one', async () => {
  const slug = await deploy(says('one'));
  // It writes nothing else.
  await runSql(
    quire,
    `update functions set code = '${says('old node')}', version = 2 where slug = '${slug}'`,
  );
  expect(await numbers(slug)).toEqual([2, 1]);
  expect((await read(slug, 2)).body).toMatchObject({ code: says('old node'), current: true });
  expect((await restore(slug, 2)).body.version).toBe(3);
  expect(await text(slug)).toBe('old node');
  expect(await numbers(slug)).toEqual([3, 2, 1]);
  expect((await read(slug, 2)).body.code).toBe(says('old node'));
});
