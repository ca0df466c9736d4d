import { afterAll, describe, expect, test } from 'bun:test';
import { functionApp, handler } from '../../support/functions/app.ts';

const MEMORY_MEGABYTES = 64;
/** An eighth of the memory, and a quarter of that for one response. */
const CACHE_BYTES = (MEMORY_MEGABYTES / 8) * 1024 * 1024;
const ENTRY_BYTES = CACHE_BYTES / 4;

const { quire, stranger, owner, deploy, call } = await functionApp({
  QUIRE_FUNCTION_MEMORY_MB: String(MEMORY_MEGABYTES),
});
afterAll(() => quire.stop());

/** A function that does to its cache what it is sent. */
const CACHE = handler(`
  const results = [];
  for (const { cache: name, put, match, remove, headers, options, body, size, init } of await request.json()) {
    const cache = name === undefined ? caches.default : await caches.open(name);
    const asked = new Request(put ?? match ?? remove, { headers, ...init });
    try {
      if (put) results.push((await cache.put(asked, new Response(size === undefined ? body : new Uint8Array(size), options))) ?? null);
      else if (remove) results.push(await cache.delete(asked, options));
      else {
        const found = await cache.match(asked, options);
        results.push(found ? { status: found.status, headers: Object.fromEntries(found.headers), text: (await found.text()).slice(0, 100) } : null);
      }
    } catch (error) { results.push(String(error)) }
  }
  return Response.json(results)`);

const URL_A = 'https://example.com/a?b=1';
const fresh = { headers: { 'cache-control': 'max-age=3600' } };
const hit = (text: string, status = 200) => expect.objectContaining({ status, text });

describe('caches of a function', () => {
  test('store, match and delete responses', async () => {
    const slug = await deploy(CACHE);
    const put = {
      put: URL_A,
      body: 'hello',
      options: { status: 200, headers: { 'x-own': 'ünï', 'cache-control': 'max-age=60' } },
    };
    const { body } = await call(slug, [{ match: URL_A }, put, { match: URL_A }]);
    expect(body).toEqual([null, null, hit('hello')]);
    expect(body[2].headers).toMatchObject({
      ...{ 'x-own': 'ünï', 'cf-cache-status': 'HIT', age: '0', 'cache-control': 'max-age=60' },
    });
    // Other calls have the same cache.
    expect((await call(slug, [{ match: URL_A }, { match: `${URL_A}0` }])).body).toEqual([hit('hello'), null]);
    expect((await call(slug, [{ remove: URL_A }, { remove: URL_A }, { match: URL_A }])).body).toEqual([
      ...[true, false, null],
    ]);
  });

  test('with names are separate', async () => {
    const slug = await deploy(CACHE);
    const names = [undefined, 'one', 'two words', 'two%20words'];
    const puts = names.map((cache, i) => ({ cache, put: URL_A, body: `${i}`, options: fresh }));
    const matches = names.map((cache) => ({ cache, match: URL_A }));
    await call(slug, puts);
    expect((await call(slug, matches)).body).toEqual([hit('0'), hit('1'), hit('2'), hit('3')]);
    await call(slug, [{ cache: 'one', remove: URL_A }]);
    expect((await call(slug, matches)).body).toEqual([hit('0'), null, hit('2'), hit('3')]);
  });

  test('belong to one function and one version of it', async () => {
    const slug = await deploy(CACHE);
    const others = [await deploy(CACHE), await deploy(CACHE, {}, stranger)];
    await call(slug, [{ put: URL_A, body: 'mine', options: fresh }]);
    for (const other of others) {
      expect((await call(other, [{ match: URL_A }, { remove: URL_A }])).body).toEqual([null, false]);
    }
    expect((await call(slug, [{ match: URL_A }])).body).toEqual([hit('mine')]);
    await owner.call('PATCH', `/api/functions/${slug}`, { body: { code: `${CACHE}// new` } });
    expect((await call(slug, [{ match: URL_A }])).body).toEqual([null]);
  });

  test('keep responses as long as their headers say', async () => {
    const slug = await deploy(CACHE);
    const cases: Array<[url: string, headers: Record<string, string>, isKept: boolean]> = [
      ['https://x.test/1', {}, true],
      ['https://x.test/2', { 'cache-control': 'no-store' }, false],
      ['https://x.test/3', { 'cache-control': 'private, max-age=60' }, false],
      ['https://x.test/4', { 'cache-control': 'max-age=0' }, false],
      ['https://x.test/5', { 'set-cookie': 'a=b', 'cache-control': 'max-age=60' }, false],
      ['https://x.test/6', { 'set-cookie': 'a=b', 'cache-control': 'private=set-cookie, max-age=60' }, true],
      ['https://x.test/7', { expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }, false],
      ['https://x.test/8', { expires: 'Thu, 01 Jan 2099 00:00:00 GMT' }, true],
    ];
    await call(
      slug,
      cases.map(([put, headers]) => ({ put, body: 'x', options: { headers } })),
    );
    const { body } = await call(
      slug,
      cases.map(([match]) => ({ match })),
    );
    expect(body.map((found: unknown) => found !== null)).toEqual(cases.map(([, , isKept]) => isKept));
    expect(body[5].headers).not.toHaveProperty('set-cookie');
    // A response stays for as long as it is fresh.
    const late =
      handler(`await caches.default.put('https://x.test/9', new Response('x', { headers: { 'cache-control': 'max-age=1' } }));
      const found = []; const end = Date.now() + 20_000;
      do { found.push((await caches.default.match('https://x.test/9')) !== undefined); await scheduler.wait(100) } while (found.at(-1) && Date.now() < end);
      return Response.json([found[0], found.at(-1)])`);
    expect((await call(await deploy(late))).body).toEqual([true, false]);
  });

  test('answer conditions and ranges', async () => {
    const slug = await deploy(CACHE);
    const options = { headers: { ...fresh.headers, etag: '"v1"', 'content-type': 'text/plain' } };
    await call(slug, [{ put: URL_A, body: '0123456789', options }]);
    const { body } = await call(slug, [
      { match: URL_A, headers: { 'if-none-match': '"v1"' } },
      { match: URL_A, headers: { range: 'bytes=2-4' } },
      { match: URL_A, headers: { range: 'bytes=99-' } },
    ]);
    expect(body).toEqual([hit('', 304), hit('234', 206), hit('', 416)]);
    expect(body[1].headers).toMatchObject({ 'content-range': 'bytes 2-4/10', 'content-length': '3' });
  });

  test('know only GET, unless the method is to be ignored', async () => {
    const slug = await deploy(CACHE);
    await call(slug, [{ put: URL_A, body: 'x', options: fresh }]);
    const init = { method: 'HEAD' };
    const { body } = await call(slug, [
      { put: URL_A, init, body: 'y', options: fresh },
      { match: URL_A, init },
      { match: URL_A, init, options: { ignoreMethod: true } },
      { remove: URL_A, init },
      { remove: URL_A, init, options: { ignoreMethod: true } },
      { put: URL_A, body: 'y', options: { headers: { vary: '*' } } },
      { put: URL_A, body: 'y', options: { status: 206 } },
    ]);
    expect(body).toEqual([
      expect.stringContaining('TypeError: Cannot cache response to non-GET request'),
      ...[null, hit('x'), false, true],
      expect.stringContaining('TypeError: Cannot cache response with'),
      expect.stringContaining('TypeError: Cannot cache response to a range request'),
    ]);
  });

  test('keep compressed, streamed and empty bodies, and other statuses', async () => {
    const slug = await deploy(
      handler(`const cache = caches.default; const headers = { 'cache-control': 'max-age=60' };
        const stream = new ReadableStream({ start(controller) {
          for (const text of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        } });
        const responses = [
          new Response('squeezed '.repeat(100), { headers: { ...headers, 'content-encoding': 'gzip' } }),
          new Response(stream, { headers }), new Response(null, { headers }), new Response(null, { status: 204, headers }),
          new Response('gone', { status: 410, statusText: 'Long Gone', headers }), Response.redirect('https://x.test/', 302),
        ];
        const found = [];
        for (const [i, response] of responses.entries()) {
          await cache.put('https://x.test/' + i, response);
          const match = await cache.match('https://x.test/' + i);
          found.push([match.status, match.statusText, (await match.text()).slice(0, 12)]);
        }
        return Response.json(found)`),
    );
    expect((await call(slug)).body).toEqual([
      [200, 'OK', 'squeezed squ'],
      [200, 'OK', 'abc'],
      [200, 'OK', ''],
      [204, 'No Content', ''],
      [410, 'Long Gone', 'gone'],
      [302, 'Found', ''],
    ]);
  });

  test('do not keep a response that breaks off', async () => {
    const slug = await deploy(
      handler(`const stream = new ReadableStream({ start(controller) {
          controller.enqueue(new TextEncoder().encode('half')); controller.error(new Error('broken'));
        } });
        const put = await caches.default.put('https://x.test/', new Response(stream)).then(() => 'stored', () => 'failed');
        return Response.json([put, (await caches.default.match('https://x.test/')) === undefined])`),
    );
    expect((await call(slug)).body).toEqual(['failed', true]);
  });
});

describe('the memory of caches', () => {
  test('has room for a response of a quarter of it, and not for a larger one', async () => {
    const slug = await deploy(CACHE);
    const slack = 8 * 1024;
    const puts = [
      { put: 'https://x.test/fits', size: ENTRY_BYTES - slack, options: fresh },
      { put: 'https://x.test/large', size: ENTRY_BYTES, options: fresh },
      { put: 'https://x.test/giant', size: 4 * ENTRY_BYTES, options: fresh },
    ];
    expect((await call(slug, puts)).body).toEqual([null, null, null]);
    const matches = puts.map(({ put }) => ({ match: put }));
    expect((await call(slug, matches)).body).toEqual([expect.objectContaining({ status: 200 }), null, null]);
  });

  test('keeps the latest responses when it is full', async () => {
    const slug = await deploy(
      handler(`const { count, size } = await request.json();
        for (let i = 0; i < count; i++) await caches.default.put('https://x.test/' + i, new Response(new Uint8Array(size)));
        const kept = [];
        for (let i = 0; i < count; i++) if (await caches.default.match('https://x.test/' + i)) kept.push(i);
        return Response.json(kept)`),
    );
    const size = CACHE_BYTES / 8;
    // Seven and not eight, because each takes up a little more than its body.
    expect((await call(slug, { count: 40, size })).body).toEqual([33, 34, 35, 36, 37, 38, 39]);
  });

  test('survives headers that are too long, and many large bodies at once', async () => {
    const slug = await deploy(
      handler(`const cache = caches.default; const { kind } = await request.json();
        const url = (i) => 'https://x.test/' + i;
        if (kind === 'headers') {
          const headers = new Headers();
          for (let i = 0; i < 2_000; i++) headers.set('x-' + i, 'y'.repeat(50));
          await cache.put(url('headers'), new Response('x', { headers }));
          await cache.put(url('y'.repeat(3_000_000)), new Response('x'));
          return Response.json([(await cache.match(url('headers'))) === undefined]);
        }
        const pieces = Array.from({ length: 20 }, () => {
          let sent = 0;
          return new ReadableStream({ pull(controller) {
            if (sent++ === 64) controller.close(); else controller.enqueue(new Uint8Array(64 * 1024));
          } });
        });
        await Promise.all(pieces.map((body, i) => cache.put(url(i), new Response(body))));
        return Response.json('done')`),
    );
    const reply = async (kind: string) => (await call(slug, { kind })).body;
    expect(await reply('headers')).toEqual([true]);
    expect(await reply('streams')).toEqual('done');
  });

  test('has room for thousands of small responses, and keeps the latest', async () => {
    const slug = await deploy(
      handler(`const { put, match, count } = await request.json(); const cache = caches.default;
        const url = (i) => 'https://x.test/' + i;
        const each = (from, run) => Promise.all(Array.from({ length: count }, (_, i) => run(url(from + i))));
        if (put !== undefined) await each(put, (to) => cache.put(to, new Response('x')));
        const found = match === undefined ? [] : await each(match, async (at) => (await cache.match(at)) !== undefined);
        return Response.json(found.filter(Boolean).length)`),
    );
    const count = 500;
    for (let put = 0; put < 6_000; put += count) expect((await call(slug, { put, count })).body).toBe(0);
    // They are still there, so all of this happened in one process.
    for (let match = 3_000; match < 6_000; match += count)
      expect((await call(slug, { match, count })).body).toBe(count);
    expect((await call(slug, { match: 0, count })).body).toBe(0);
  });
});
