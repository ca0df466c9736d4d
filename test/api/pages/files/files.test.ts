import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublishedPage } from '../../../support/app.ts';
import { readSql } from '../../../support/engines/storage.ts';
import { type FilesApp, filesApp, sha256 } from '../../../support/pages/files.ts';
import { waitUntil } from '../../../support/server.ts';
import { makeZip } from '../../../support/zip.ts';

let app: FilesApp;
beforeAll(async () => {
  app = await filesApp();
});
afterAll(() => app.quire.stop());

const publish = (fields: object = {}) => app.owner.publish({ html_content: '<p>1</p>', ...fields });

describe('replacing all files', () => {
  test('by a form lists them with type and hash, and takes index.html as the document', async () => {
    const page = await publish();
    const sent = {
      'index.html': '<h1>Hi</h1>',
      'css/style.css': 'a{}',
      'img/ü.png': new Uint8Array([1, 2, 3]),
    };
    const { status, body } = await app.replace(page, sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, version: 2, totalBytes: 6, url: page.url, warnings: [] });
    const style = {
      path: 'css/style.css',
      size: 3,
      type: 'text/css; charset=utf-8',
      hash: sha256('a{}'),
      updatedAt: expect.any(String),
    };
    expect(body.files).toEqual([
      style,
      expect.objectContaining({ path: 'img/ü.png', size: 3, type: 'image/png' }),
    ]);
    expect((await app.call('GET', app.toPath(page))).body).toEqual({ files: body.files, totalBytes: 6 });
    expect((await app.owner.call('GET', `/api/pages/${page.id}`)).body.page.html_content).toBe('<h1>Hi</h1>');
    expect(await app.read(page, 'img/%C3%BC.png')).toBe('\x01\x02\x03');
    expect(await app.read(page, 'index.html')).toBe('<h1>Hi</h1>');
    expect(await app.read(page, 'nothing')).toBe(404);
  });

  test('takes the path from the filename of fields called file', async () => {
    const page = await publish();
    const data = new FormData();
    data.append('file', new File(['1'], 'a/keep'));
    data.append('file', new File(['2'], 'file'));
    expect((await app.call('PUT', app.toPath(page), { body: data })).status).toBe(200);
    expect(await app.list(page)).toEqual(['a/keep', 'file']);
  });

  test('by an archive unpacks it, without its only folder and what systems add', async () => {
    const page = await publish();
    const zip = makeZip([
      { name: 'site/' },
      { name: 'site/index.html', content: '<p>zip</p>', deflate: true },
      { name: 'site/a/b.txt', content: 'b'.repeat(10_000), deflate: true },
      { name: 'site/cafe\u0301.txt', content: 'é' },
      { name: 'site/.DS_Store', content: 'x' },
      { name: '__MACOSX/site/._index.html', content: 'x' },
    ]);
    const { status, body } = await app.sendZip(page, zip);
    expect([status, body.version]).toEqual([200, 2]);
    expect(await app.list(page)).toEqual(['a/b.txt', 'caf\u00e9.txt']);
    expect(await app.read(page, 'index.html')).toBe('<p>zip</p>');
    expect(await app.read(page, 'a/b.txt')).toBe('b'.repeat(10_000));
  });

  test('keeps the folder of an archive that has no index.html in it', async () => {
    const page = await publish();
    expect((await app.sendZip(page, makeZip([{ name: 'img/a.png', content: 'a' }]))).status).toBe(200);
    expect(await app.list(page)).toEqual(['img/a.png']);
    expect(await app.read(page, 'index.html')).toBe('<p>1</p>');
  });

  test('keeps files by their hash without their bytes, also under another path', async () => {
    const page = await publish();
    await app.replace(page, { a: 'one', b: 'two', c: 'three' });
    const keep = { a: sha256('one'), 'moved/b': sha256('two') };
    expect((await app.replace(page, { new: '4' }, keep)).status).toBe(200);
    expect(await app.list(page)).toEqual(['a', 'moved/b', 'new']);
    expect(await app.read(page, 'moved/b')).toBe('two');
    // From an earlier version.
    expect((await app.replace(page, {}, { c: sha256('three') })).status).toBe(200);
    expect(await app.read(page, 'c')).toBe('three');
  });

  test('does not keep a file that only another page has', async () => {
    const [mine, other] = [await publish(), await publish()];
    await app.replace(other, { secret: 'a secret of this page' });
    const answer = await app.replace(mine, { a: '1' }, { b: sha256('a secret of this page') });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'keep.b: is not the hash of a file that the page has or had. Send the file.',
    ]);
    expect(await app.list(mine)).toEqual([]);
  });

  test('makes no version if nothing changes, and shares the files of versions that have the same', async () => {
    const page = await publish();
    const first = await app.replace(page, { a: '1', b: '2' });
    app.quire.advance(5_000);
    const again = await app.replace(page, { b: '2', a: '1', 'index.html': '<p>1</p>' });
    expect(again.body).toMatchObject({ version: first.body.version, files: first.body.files });
    const { body } = await app.replace(page, { a: '1', b: '3' });
    expect(body.version).toBe(3);
    const [a, b] = body.files;
    expect([a.updatedAt, b.updatedAt > a.updatedAt]).toEqual([first.body.files[0].updatedAt, true]);
    await app.replace(page, { a: '1', b: '2' });
    const rows = await readSql(app.quire, `select id from page_manifests where page_id = ${page.id}`);
    expect([rows.length, await app.fetchVersion(page)]).toEqual([2, 4]);
  });

  test('is refused if the page has another version, without reading the body', async () => {
    const page = await publish();
    const answer = await app.replace(page, { a: '1' }, undefined, '?base_version=2');
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT', currentVersion: 1 } });
    expect((await app.replace(page, { a: '1' }, undefined, '?base_version=1')).status).toBe(200);
    expect((await app.replace(page, { a: '1' }, undefined, '?base_version=x')).status).toBe(400);
  });

  test('twice at once with the same base version makes one version and keeps no bytes of the other', async () => {
    const page = await publish();
    const before = app.stored().length;
    const both = await Promise.all(
      ['first of two', 'second of two'].map((content) =>
        app.replace(page, { a: content }, undefined, '?base_version=1'),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await app.fetchVersion(page)).toBe(2);
    await waitUntil(async () => app.stored().length === before + 1);
  });
});

describe('one file', () => {
  test('is written, read with its type and ETag, replaced and deleted, each as a version', async () => {
    const page = await publish();
    const { status, body } = await app.put(page, 'notes/a.txt', 'one');
    expect([status, body.version, body.url]).toEqual([200, 2, page.url]);
    expect(body.file).toMatchObject({ path: 'notes/a.txt', size: 3, hash: sha256('one') });
    const response = await app.request('GET', `${app.toPath(page)}/notes/a.txt`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      etag: `"${sha256('one')}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect((await app.put(page, 'notes/a.txt', 'one')).body.version).toBe(2);
    expect((await app.put(page, 'notes/a.txt', 'two')).body.version).toBe(3);
    expect((await app.remove(page, 'notes/a.txt')).body).toMatchObject({ success: true, version: 4 });
    expect(await app.read(page, 'notes/a.txt')).toBe(404);
    expect(await app.read(page, 'notes/a.txt', '?version=2')).toBe('one');
    expect(await app.list(page, '?version=3')).toEqual(['notes/a.txt']);
    expect((await app.remove(page, 'notes/a.txt')).status).toBe(404);
    expect(await app.read(page, 'notes/a.txt', '?version=9')).toBe(404);
  });

  test('called index.html is the document', async () => {
    const page = await publish();
    const { body } = await app.put(page, 'index.html', '<script>(</script>');
    expect(body).toMatchObject({
      version: 2,
      file: { path: 'index.html', hash: sha256('<script>(</script>') },
    });
    expect(body.warnings[0].code).toBe('SCRIPT_SYNTAX');
    expect(await app.list(page)).toEqual([]);
    expect((await app.put(page, 'index.html', '<script>(</script>')).body.version).toBe(2);
    expect(await app.remove(page, 'index.html')).toMatchObject({ status: 400 });
    for (const wrong of ['', new Uint8Array([0xff]), 'a\0b'])
      expect((await app.put(page, 'index.html', wrong)).status).toBe(400);
    expect((await app.put(page, 'index.html', 'x'.repeat(4 * 1024 * 1024 + 1))).status).toBe(413);
    expect(await app.read(page, 'index.html')).toBe('<script>(</script>');
  });

  test('is refused if its base version is not current', async () => {
    const page = await publish();
    await app.put(page, 'a', '1');
    expect((await app.put(page, 'a', '2', '?base_version=1')).body.currentVersion).toBe(2);
    expect((await app.remove(page, 'a', '?base_version=1')).status).toBe(409);
    expect((await app.remove(page, 'a', '?base_version=2')).status).toBe(200);
  });

  test.each([
    ['b', 'needs a folder where'],
    ['A', 'only in upper and lower case'],
    ['x%2F..%2Fy', 'as a segment'],
    ['.env', 'starts with a dot'],
    ['a%5Cb', 'backslash'],
    ['api/pages/x', 'the service uses itself'],
    ['x%00y', 'control characters'],
    ['x/', 'empty segment'],
    ['INDEX.html', 'only in upper and lower case'],
    ['index.html/x', 'needs a folder where index.html is a file'],
    ['C:/x', 'relative'],
  ])('cannot be at %j', async (path, why) => {
    const page = await publish();
    await app.replace(page, { a: '1', 'b/c': '2' });
    const { status, body } = await app.put(page, path === 'b' ? 'a/b' : path, 'x');
    // What no database can store is no resource at all.
    expect(status).toBe(path === 'x%00y' ? 404 : 400);
    if (status === 400) expect(body.error).toContain(why);
    expect(await app.list(page)).toEqual(['a', 'b/c']);
  });
});

describe('a version', () => {
  test('has its files, which come back with it', async () => {
    const page = await publish();
    await app.replace(page, { 'index.html': '<p>2</p>', a: 'one', b: 'two' });
    await app.replace(page, { a: 'changed' });
    const read = async (number: number) =>
      (await app.call('GET', `/api/pages/${page.id}/versions/${number}`)).body;
    expect((await read(1)).files).toEqual([]);
    expect(
      (await read(2)).files.map(({ path, hash }: { path: string; hash: string }) => [path, hash]),
    ).toEqual([
      ['a', sha256('one')],
      ['b', sha256('two')],
    ]);
    const restored = await app.owner.call('POST', `/api/pages/${page.id}/versions/2/restore`);
    expect([restored.status, restored.body.version]).toEqual([200, 4]);
    expect([await app.read(page, 'a'), await app.read(page, 'b')]).toEqual(['one', 'two']);
    await app.owner.call('POST', `/api/pages/${page.id}/versions/1/restore`);
    expect(await app.list(page)).toEqual([]);
    expect(await app.read(page, 'index.html')).toBe('<p>1</p>');
  });

  test('with other files only has the document of the one before, which is stored once', async () => {
    const page = await publish();
    await app.put(page, 'a', '1');
    await app.put(page, 'b', '2');
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>two</p>' } });
    await app.put(page, 'c', '3');
    await app.remove(page, 'a');
    const documents = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(
        async (number) =>
          (await app.call('GET', `/api/pages/${page.id}/versions/${number}`)).body.html_content,
      ),
    );
    expect(documents).toEqual(['<p>1</p>', '<p>1</p>', '<p>1</p>', '<p>two</p>', '<p>two</p>', '<p>two</p>']);
    const stored = `select html_content from page_versions where page_id = ${page.id} and html_content <> ''`;
    expect(await readSql(app.quire, stored)).toHaveLength(2);
    expect((await app.call('GET', `/api/pages/${page.id}`)).body.page.html_content).toBe('<p>two</p>');
    expect(await app.read(page, 'index.html')).toBe('<p>two</p>');
    expect(await app.read(page, 'index.html', '?version=3')).toBe('<p>1</p>');
    const served = () => app.quire.request(`/p/${page.slug}/`).then((response) => response.text());
    expect(await served()).toContain('<p>two</p>');
    const fork = (await app.owner.call('POST', `/api/pages/${page.id}/fork`)).body.page;
    expect(await app.read(fork, 'index.html')).toBe('<p>two</p>');
    await app.owner.call('POST', `/api/pages/${page.id}/versions/3/restore`);
    expect(await served()).toContain('<p>1</p>');
    expect(await app.list(page)).toEqual(['a', 'b']);
  });

  test('made by a new document keeps the files', async () => {
    const page = await publish();
    await app.replace(page, { a: 'one' });
    const patched = await app.owner.call('PATCH', `/api/pages/${page.id}`, {
      body: { html_content: '<p>2' },
    });
    expect(patched.body.version).toBe(3);
    expect(await app.read(page, 'a')).toBe('one');
  });
});

describe('a copy', () => {
  test('has the current files, and keeps them when the page is gone', async () => {
    const page = await publish();
    await app.replace(page, { a: 'old' });
    await app.replace(page, { a: 'of both', b: 'of both', c: 'c' });
    const forked = await app.stranger.call('POST', `/api/pages/${page.id}/fork`);
    const fork = forked.body.page as PublishedPage;
    const options = { as: app.stranger };
    const before = app.stored().length;
    expect((await app.owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
    await waitUntil(async () => app.stored().length === before - 1);
    const { body } = await app.call('GET', app.toPath(fork), options);
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(['a', 'b', 'c']);
    expect(await (await app.request('GET', `${app.toPath(fork)}/b`, options)).text()).toBe('of both');
    expect((await app.stranger.call('DELETE', `/api/pages/${fork.id}`)).status).toBe(200);
    await waitUntil(async () => app.stored().length === before - 3);
  });

  test('as an archive has the document and every file, and can be uploaded again', async () => {
    const page = await publish({ name: 'Export me' });
    await app.replace(page, { 'a/ü.txt': 'ü', 'b.bin': new Uint8Array(100_000).fill(7), empty: '' });
    const response = await app.request('GET', `/api/pages/${page.id}/export`);
    const zip = new Uint8Array(await response.arrayBuffer());
    expect([response.headers.get('content-type'), Number(response.headers.get('content-length'))]).toEqual([
      'application/zip',
      zip.length,
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'quire-export-'));
    await Bun.write(join(folder, 'page.zip'), zip);
    // A program that we did not write can read it.
    const script = `import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.namelist())`;
    const run = Bun.spawnSync(['python3', '-c', script, join(folder, 'page.zip')]);
    expect(run.stdout.toString()).toBe("['index.html', 'a/ü.txt', 'b.bin', 'empty']\n");
    rmSync(folder, { recursive: true });
    const again = await publish();
    expect((await app.sendZip(again, zip)).body.files).toHaveLength(3);
    expect(await app.read(again, 'a/%C3%BC.txt')).toBe('ü');
  });
});

describe('access', () => {
  test('is for the owner with the right scope only', async () => {
    const page = await publish();
    await app.replace(page, { a: '1' });
    const draft = await publish({ is_published: false });
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['GET', '/a'],
      ['PUT', '/a'],
      ['DELETE', '/a'],
    ] as const) {
      const as = (token: string, of = page) =>
        app.quire.request(app.toPath(of) + path, {
          method,
          headers: { 'content-type': 'application/zip', ...(token && { authorization: `Bearer ${token}` }) },
          ...(method === 'PUT' && { body: 'x' }),
        });
      const scopes = [method === 'GET' ? 'pages:write' : 'pages:read'];
      const narrow = await app.owner.call('POST', '/api/auth/tokens', { body: { name: 'n', scopes } });
      const statuses = [as(''), as(app.stranger.token), as(app.stranger.token, draft), as(narrow.body.token)];
      expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 403, 404, 403]);
    }
    expect((await app.call('GET', `/api/pages/${page.id}/export`, { as: app.stranger })).status).toBe(403);
  });
});
