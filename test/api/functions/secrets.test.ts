import { afterAll, describe, expect, test } from 'bun:test';
import { readSql } from '../../support/engines/storage.ts';
import { ECHO, functionApp, handler } from '../../support/functions/app.ts';

const { quire, owner, deploy, call } = await functionApp();
afterAll(() => quire.stop());

const asText = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

describe('secrets', () => {
  test('are in env at the next call, and are never returned', async () => {
    const slug = await deploy(handler('return Response.json({ key: env.API_KEY ?? null })'));
    const put = (name: string, value: unknown) =>
      owner.call('PUT', `/api/functions/${slug}/secrets/${name}`, { body: { value } });
    const key = async () => (await call(slug)).body.key;
    expect(await key()).toBeNull();
    const value = ['line one', 'line "two" \\ 😀', '$', '{x}'].join('\n');
    expect((await put('API_KEY', value)).status).toBe(204);
    expect(await key()).toBe(value);
    await put('API_KEY', 'second');
    expect(await key()).toBe('second');
    expect((await owner.call('GET', `/api/functions/${slug}/secrets`)).body).toEqual({
      secrets: [{ name: 'API_KEY' }],
    });
    expect((await owner.call('DELETE', `/api/functions/${slug}/secrets/API_KEY`)).status).toBe(204);
    expect(await key()).toBeNull();
    expect((await owner.call('DELETE', `/api/functions/${slug}/secrets/API_KEY`)).status).toBe(404);
  });

  test('are not in the database as they were sent', async () => {
    const slug = await deploy(ECHO);
    const value = 'a value that nobody must read';
    const put = { body: { value } };
    expect((await owner.call('PUT', `/api/functions/${slug}/secrets/KEY`, put)).status).toBe(204);
    const rows = await readSql<Record<string, unknown>>(quire, 'select * from function_secrets');
    const stored = rows.flatMap((row) => Object.values(row)).map(asText);
    expect(stored.some((each) => each.length > value.length)).toBeTrue();
    expect(stored.filter((each) => each.includes(value))).toEqual([]);
  });

  test.each(['DB', 'lower', '1ST', 'A-B', '_A', 'Ä', 'A'.repeat(101)])('cannot be named %s', async (name) => {
    const slug = await deploy(ECHO);
    const answer = await owner.call('PUT', `/api/functions/${slug}/secrets/${encodeURIComponent(name)}`, {
      body: { value: 'x' },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', details: [{ path: 'name' }] } });
  });

  test('have names of at most 100 characters and values of at most 64 KiB', async () => {
    const slug = await deploy(
      handler(
        'return Response.json(Object.keys(env).filter((name) => typeof env[name] === "string").length)',
      ),
    );
    const put = (value: string) =>
      owner.call('PUT', `/api/functions/${slug}/secrets/${'A'.repeat(100)}`, { body: { value } });
    expect((await put('é'.repeat(32 * 1024))).status).toBe(204);
    expect(await put(`${'é'.repeat(32 * 1024)}x`)).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    });
    expect((await call(slug)).body).toBe(1);
  });

  test('can be changed by several requests at once without losing any', async () => {
    const slug = await deploy(
      handler(
        'return Response.json(Object.keys(env).filter((name) => typeof env[name] === "string").sort())',
      ),
    );
    const names = Array.from({ length: 8 }, (_, i) => `KEY_${i}`);
    await Promise.all(
      names.map((name) =>
        owner.call('PUT', `/api/functions/${slug}/secrets/${name}`, { body: { value: 'x' } }),
      ),
    );
    expect((await call(slug)).body).toEqual(names);
  });
});
