import { afterAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { functionApp, handler } from '../support/functions/app.ts';
import { makeIntegrity, startNpmRegistry } from '../support/functions/npm-registry.ts';
import { runtimeFolder } from '../support/functions/server.ts';
import { tar } from '../support/tar.ts';

const MB = 1024 * 1024;
const registry = startNpmRegistry();
/** Another host on this machine. The egress may not connect to it, because only 127.0.0.2 is allowed. */
const secret = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response('secret'),
});
const { quire, owner } = await functionApp({
  QUIRE_NPM_REGISTRY: registry.url,
  QUIRE_EGRESS_ALLOW: '127.0.0.2/32',
});
afterAll(async () => {
  await quire.stop();
  await registry.stop();
  await secret.stop(true);
});

let count = 0;
async function deploying(...names: string[]) {
  const imports = names.map((name) => `import "npm:${name}";`).join('\n');
  const slug = `hostile-${++count}`;
  const { status, body } = await owner.call('POST', '/api/functions', {
    body: { slug, code: `${imports}\n${handler('return new Response("ok")')}` },
  });
  return { status, error: String(body.error) };
}

let openSlowly = 0;
registry.answer('/slow', (request) => {
  openSlowly++;
  request.signal.addEventListener('abort', () => openSlowly--);
  return new Response(
    new ReadableStream({
      async pull(stream) {
        await Bun.sleep(200);
        stream.enqueue(new Uint8Array([0x20]));
      },
    }),
  );
});
/** In progress while the other tests run. */
const slow = deploying('slow@1');

const refused = (error: RegExp) => ({ status: 422, error: expect.stringMatching(error) });
const file = (path: string) => [
  { path: 'package/package.json', content: '{}' },
  { path, content: 'x' },
];

describe('a hostile package', () => {
  registry.add(
    { name: 'wrong-hash', integrity: makeIntegrity(Buffer.from('another')) },
    { name: 'weak-hash', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    { name: 'climbs', archive: file('package/../../../../../../tmp/quire-was-here.js') },
    { name: 'absolute', archive: file('/tmp/quire-was-here.js') },
    { name: 'backslash', archive: file('package\\..\\x.js') },
    { name: 'symlink', archive: [{ path: 'package/x.js', type: '2', link: '/etc/passwd' }] },
    { name: 'hard-link', archive: [{ path: 'package/x.js', type: '1', link: '/etc/passwd' }] },
    { name: 'device', archive: [{ path: 'package/x.js', type: '3' }] },
    { name: 'longer-than-it-is', archive: [{ path: 'package/x.js', content: 'x', size: 4096 }] },
    { name: 'file-and-folder', archive: [...file('package/a.js'), ...file('package/a.js/b.js')] },
    { name: 'not-gzip', archive: Buffer.from('hello') },
    { name: 'not-tar', archive: gzipSync(Buffer.alloc(2048, 'x')) },
    { name: 'bomb', archive: gzipSync(tar([{ path: 'package/x.md', content: ' '.repeat(280 * MB) }])) },
    { name: 'many-files', archive: gzipSync(manyFiles(20_001)) },
    { name: 'bad-name', dependencies: { '../../x': 'npm:wrong-hash@1' } },
    { name: 'bad-range', dependencies: { other: 'file:../../../etc' } },
  );
  test.each([
    ['wrong-hash', /^The package wrong-hash@1\.0\.0 does not match its integrity hash\./],
    ['weak-hash', /^The registry has no SHA-512 integrity hash of weak-hash@1\.0\.0/],
    ['climbs', /has a file with the path "package\/\.\.\//],
    ['absolute', /has a file with the path "\/tmp/],
    ['backslash', /has a file with the path "package\\\\/],
    ['symlink', /has "package\/x\.js", which is a link or a device/],
    ['hard-link', /which is a link or a device/],
    ['device', /which is a link or a device/],
    ['longer-than-it-is', /is damaged/],
    ['file-and-folder', /is damaged/],
    ['not-gzip', /is damaged/],
    ['not-tar', /is damaged/],
    ['bomb', /is too large, .* 256 MB together/],
    ['many-files', /has more than 20,000 files/],
    ['bad-name', /needs one whose name is not valid/],
    ['bad-range', /needs other from file:\.\.\/\.\.\/\.\.\/etc, and only the registry is used/],
  ])('is refused: %s', async (name, error) => {
    expect(await deploying(`${name}@1`)).toEqual(refused(error));
    expect(existsSync('/tmp/quire-was-here.js')).toBe(false);
  });

  test('with dependencies without end is refused', async () => {
    registry.answer('/chain-*', (request) => {
      const number = Number(new URL(request.url).pathname.split('-')[1]);
      const dist = { tarball: `${registry.url}/x.tgz`, integrity: makeIntegrity(Buffer.from('')) };
      const dependencies = Object.fromEntries([1, 2].map((n) => [`chain-${2 * number + n}`, '1']));
      return Response.json({ 'dist-tags': {}, versions: { '1.0.0': { dist, dependencies } } });
    });
    const before = registry.requests.length;
    expect(await deploying('chain-0@1')).toEqual(
      refused(/has too many dependencies: a function can have 200 packages/),
    );
    expect(registry.requests.length - before).toBeLessThan(260);
  });

  test('that was refused is not kept', async () => {
    const kept = () => {
      const folder = join(quire.dataFolder, 'packages');
      return existsSync(folder) ? readdirSync(folder).length : 0;
    };
    const before = kept();
    await deploying('wrong-hash@1');
    await deploying('symlink@1');
    expect(kept()).toBe(before);
    registry.add({ name: 'honest', files: { 'index.js': '' } });
    expect((await deploying('honest@1')).status).toBe(201);
    expect(kept()).toBe(before + 1);
  });
});

test('a list of versions and a package can have tens of megabytes', async () => {
  const noise = randomBytes(20 * MB).toString('latin1');
  registry.add({ name: 'grown', files: { 'index.js': 'export default 1;', 'data.bin': noise } });
  const { versions, ...list } = (await (await fetch(`${registry.url}/grown`)).json()) as {
    versions: Record<string, object>;
  };
  const old = Array.from({ length: 40 }, (_, n) => [
    `0.${n}.0`,
    { ...versions['1.0.0'], readme: 'x'.repeat(MB - 1_000) },
  ]);
  const long = JSON.stringify({
    readme: 'y'.repeat(MB),
    versions: { ...Object.fromEntries(old), ...versions },
    ...list,
  });
  registry.answer('/grown', () => new Response(long));
  expect(await deploying('grown@1')).toMatchObject({ status: 201 });
});

test('nothing of a refused deploy stays, however many of its packages were on their way', async () => {
  const files = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`${n}.js`, '']));
  for (const name of ['long-1', 'long-2', 'long-3', 'long-4']) registry.add({ name, files });
  registry.add({ name: 'after', files: { 'index.js': '' } });
  expect(await deploying('wrong-hash@1', 'long-1@1', 'long-2@1', 'long-3@1', 'long-4@1')).toEqual(
    refused(/does not match its integrity hash/),
  );
  expect((await deploying('after@1')).status).toBe(201);
  const left = [
    ...new Bun.Glob('*/bundler/work-*/**/{0.js,1999.js}').scanSync({ cwd: runtimeFolder(quire), dot: true }),
  ];
  expect(left).toEqual([]);
});

test('a package that was damaged on disk is fetched again', async () => {
  registry.add({ name: 'damaged', files: { 'index.js': 'export default 1;' } });
  const folder = join(quire.dataFolder, 'packages');
  const others = new Set(existsSync(folder) ? readdirSync(folder) : []);
  await deploying('damaged@1');
  const [kept = ''] = readdirSync(folder).filter((name) => !others.has(name));
  for (const content of ['', 'something else']) {
    writeFileSync(join(folder, kept), content);
    expect((await deploying('damaged@1')).status).toBe(201);
  }
  const count = () => registry.requests.filter((path) => path === '/damaged/-/1.0.0.tgz').length;
  expect(count()).toBe(3);
  await deploying('damaged@1');
  expect(count()).toBe(3);
});

describe('a hostile registry', () => {
  test('cannot lead the server to private addresses', async () => {
    const privately = `http://127.0.0.1:${secret.port}/x.tgz`;
    registry.add({ name: 'elsewhere', tarballUrl: privately });
    registry.answer('/redirects', () => Response.redirect(privately));
    registry.answer('/metadata', () => Response.redirect('http://169.254.169.254/latest/meta-data'));
    registry.answer(
      '/file',
      () => new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } }),
    );
    for (const name of ['elsewhere', 'redirects', 'metadata', 'file']) {
      const { status, error } = await deploying(`${name}@1`);
      expect({ name, status, error }).toEqual({
        name,
        status: 503,
        error: expect.stringMatching(/it is not (a public|an http)/),
      });
    }
  });

  test('that redirects without end is left', async () => {
    registry.answer('/loop', () => Response.redirect(`${registry.url}/loop`));
    expect(await deploying('loop@1')).toEqual({
      status: 503,
      error: expect.stringMatching(
        /^The registry did not send the versions of loop: it redirects more than 3 times\./,
      ),
    });
  });

  test('that sends a list of versions without end is left', async () => {
    let sent = 0;
    const chunk = new Uint8Array(MB).fill(0x20);
    const endless = new ReadableStream({
      pull(stream) {
        stream.enqueue(chunk);
        sent++;
      },
    });
    registry.answer('/huge', () => new Response(endless));
    expect(await deploying('huge@1')).toEqual(refused(/larger than 67,108,864 bytes/));
    // More than the limit: sockets and streams have buffers of their own.
    expect(sent).toBeLessThan(200);
  });

  test('that compresses a list of versions too well is left', async () => {
    const packed = gzipSync(Buffer.alloc(200 * MB, ' '));
    registry.answer('/packed', () => new Response(packed, { headers: { 'content-encoding': 'gzip' } }));
    expect(await deploying('packed@1')).toEqual(refused(/larger than 67,108,864 bytes/));
  });

  test.each([
    ['no JSON', '<html>'],
    ['another value', '[]'],
    ['no versions', '{"dist-tags":{}}'],
  ])('that sends %s is named', async (_, text) => {
    const name = `odd${++count}`;
    registry.answer(`/${name}`, () => new Response(text));
    const { status, error } = await deploying(`${name}@1`);
    expect([status, error]).toEqual([
      503,
      expect.stringContaining(`list of the versions of ${name} is not valid`),
    ]);
  });

  test('that sends a byte now and then is left after 25 seconds, and others deployed meanwhile', async () => {
    expect(await slow).toEqual({ status: 503, error: expect.stringMatching(/it took too long/) });
    while (openSlowly > 0) await Bun.sleep(10);
  });
});

function manyFiles(files: number): Buffer {
  return tar(Array.from({ length: files }, (_, n) => ({ path: `package/${n}.md` })));
}
