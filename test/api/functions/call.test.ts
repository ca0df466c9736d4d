import { afterAll, describe, expect, test } from 'bun:test';
import { testApp } from '../../support/app.ts';
import { ECHO, functionApp, handler } from '../../support/functions/app.ts';
import { waitUntil } from '../../support/server.ts';

const { quire, owner, deploy, call } = await functionApp();
afterAll(() => quire.stop());

describe('a call of a function', () => {
  test('passes on body, query and the address of the caller, but no cookies or credentials', async () => {
    const slug = await deploy(ECHO);
    const response = await quire.request(`/api/functions/${slug}?a=1&b=%20`, {
      method: 'POST',
      headers: {
        'content-type': 'text/csv',
        accept: 'application/json',
        'accept-language': 'de',
        'user-agent': 'test',
        cookie: 'quire_session=secret',
        authorization: `Bearer ${owner.token}`,
        'x-forwarded-for': '6.6.6.6',
        'x-other': 'x',
      },
      body: 'a,b',
      peer: '203.0.113.9',
    });
    const { data } = (await response.json()) as {
      data: { headers: Record<string, string>; body: string; path: string };
    };
    expect([data.body, data.path]).toEqual(['a,b', '/?a=1&b=%20']);
    expect(data.headers).toMatchObject({
      'content-type': 'text/csv',
      accept: 'application/json',
      'accept-language': 'de',
      'user-agent': 'test',
      'x-forwarded-for': '203.0.113.9',
    });
    for (const name of ['cookie', 'authorization', 'x-other']) expect(data.headers[name]).toBeUndefined();
  });

  test('returns status, body and headers, except headers that would affect our origin', async () => {
    const slug = await deploy(
      handler(`return new Response("made", { status: 201, headers: [["x-own", "1"], ["content-type", "text/html"],
        ["set-cookie", "a=b"], ["clear-site-data", "*"], ["refresh", "0;url=/"], ["service-worker-allowed", "/"],
        ["access-control-allow-origin", "https://evil.example"], ["access-control-allow-credentials", "true"],
        ["content-security-policy", "default-src *"], ["strict-transport-security", "max-age=1"]] })`),
    );
    const response = await quire.request(`/api/functions/${slug}`, { method: 'POST' });
    expect([response.status, await response.text(), response.headers.get('x-own')]).toEqual([
      201,
      'made',
      '1',
    ]);
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    for (const name of [
      'set-cookie',
      'clear-site-data',
      'refresh',
      'service-worker-allowed',
      'access-control-allow-credentials',
      'strict-transport-security',
    ]) {
      expect(response.headers.get(name)).toBeNull();
    }
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  test('passes redirects, empty responses and binary data through unchanged', async () => {
    const redirecting = await deploy(handler('return Response.redirect("https://example.com/x", 302)'));
    const redirected = await quire.request(`/api/functions/${redirecting}`, { method: 'POST' });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, 'https://example.com/x']);
    const empty = await deploy(handler('return new Response(null, { status: 204 })'));
    expect((await quire.request(`/api/functions/${empty}`, { method: 'POST' })).status).toBe(204);
    const binary = await deploy(handler('return new Response(new Uint8Array([0, 255, 128]))'));
    const bytes = await (await quire.request(`/api/functions/${binary}`, { method: 'POST' })).arrayBuffer();
    expect([...new Uint8Array(bytes)]).toEqual([0, 255, 128]);
  });

  test('streams', async () => {
    const slug = await deploy(
      handler(`const { readable, writable } = new TransformStream();
        (async () => { const w = writable.getWriter(); for (let i = 0; i < 3; i++) { await w.write(new TextEncoder().encode("part" + i)); } await w.close(); })();
        return new Response(readable)`),
    );
    const response = await quire.request(`/api/functions/${slug}`, { method: 'POST' });
    expect(await response.text()).toBe('part0part1part2');
  });

  test('accepts a body of 10 MiB and refuses a byte more', async () => {
    const slug = await deploy(handler('return Response.json((await request.arrayBuffer()).byteLength)'));
    const send = (bytes: number) =>
      quire.request(`/api/functions/${slug}`, { method: 'POST', body: new Uint8Array(bytes) });
    expect(await (await send(10 * 1024 * 1024)).json()).toBe(10 * 1024 * 1024);
    const over = await send(10 * 1024 * 1024 + 1);
    expect(over.status).toBe(413);
    expect(await over.json()).toEqual({ success: false, error: expect.any(String) });
  });

  test('that throws says so, and leaves the details to the log of the owner', async () => {
    const slug = await deploy(handler('console.log("before", { a: 1 }); throw new Error("private details")'));
    const answer = await call(slug);
    expect([answer.status, answer.body]).toEqual([
      500,
      { success: false, error: 'The function threw an exception' },
    ]);
    const read = async () => (await owner.call('GET', `/api/functions/${slug}/logs`)).body.logs;
    await waitUntil(async () => (await read()).length >= 3);
    const logs = await read();
    expect(logs.map((entry: { kind: string }) => entry.kind).sort()).toEqual([
      'call',
      'console',
      'exception',
    ]);
    const exception = logs.find((entry: { kind: string }) => entry.kind === 'exception');
    expect(exception.message).toMatch(/private details[\s\S]*function\.js:1:/);
    expect(logs.find((entry: { kind: string }) => entry.kind === 'call').status).toBe(500);
  });

  test.each([
    ['undefined', 'return undefined'],
    ['text', 'return "text"'],
    ['an impossible status', 'return new Response("x", { status: 999 })'],
  ])('that returns %s is an exception of the function', async (_, body) => {
    expect((await call(await deploy(handler(body)))).status).toBe(500);
  });

  test('at its own host can use any path and method, and set its own headers', async () => {
    const slug = await deploy(
      handler(
        'const { pathname } = new URL(request.url); return new Response(request.method + pathname, { headers: { "access-control-allow-origin": "https://x.example", "set-cookie": "a=b" } })',
      ),
    );
    const { workerUrl } = (await quire.call('GET', `/api/functions/${slug}`)).body;
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await quire.request(`${workerUrl}deep/path?x=1`, { method });
      expect(await response.text()).toBe(`${method}/deep/path`);
      expect(response.headers.get('access-control-allow-origin')).toBe('https://x.example');
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.headers.get('content-security-policy')).toBeNull();
    }
    expect((await quire.request('http://f999999.functions.localhost:3000/')).status).toBe(404);
  });

  test('of an unknown function gets 404 with the error shape of calls', async () => {
    const answer = await call('no-such-function');
    expect([answer.status, answer.body.success, typeof answer.body.error]).toEqual([404, false, 'string']);
  });
});

describe('the limit on calls', () => {
  test('lets exactly 60 of 100 parallel calls through, over all functions, and ignores forwarded addresses', async () => {
    const app = await testApp();
    const user = await app.user();
    for (const slug of ['one', 'two']) {
      await user.call('POST', '/api/functions', {
        body: { slug, code: handler('return new Response("ok")') },
      });
    }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        app.call('POST', `/api/functions/${i % 2 ? 'one' : 'two'}`, {
          headers: { 'x-forwarded-for': `9.9.9.${i}` },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBe(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ success: false, error: 'rate_limited', retryAfter: expect.any(Number) });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('ratelimit-limit')).toBe('60');
    const { workerUrl } = (await app.call('GET', '/api/functions/one')).body;
    expect((await app.request(workerUrl)).status).toBe(200);
    expect((await app.call('POST', '/api/functions/one', { peer: '10.9.9.9' })).status).toBe(200);
    await app.stop();
  });
});
