import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type PublishedPage,
  type TestApp,
  type TestResponse,
  type TestUser,
  testApp,
} from '../../support/app.ts';

const MAX_BYTES = 10_485_760;
const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
type Name = (typeof ROLES)[number] | 'stranger';

let quire: TestApp;
let people: Record<Name, TestUser>;
beforeAll(async () => {
  quire = await testApp();
  const names = [...ROLES, 'stranger'] as const;
  const users = await Promise.all(names.map(async (name) => [name, await quire.user(name)] as const));
  people = Object.fromEntries(users) as typeof people;
});
afterAll(() => quire.stop());

async function team(fields: Record<string, unknown> = {}): Promise<PublishedPage> {
  const page = await people.owner.publish({ name: 'Files', storage_mode: 'team_app', ...fields });
  for (const role of ['admin', 'member', 'viewer'] as const) await joinAs(page, role, role);
  return page;
}

async function joinAs(page: PublishedPage, name: Name, role: string): Promise<void> {
  const made = await people.owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role } });
  await people[name].call('POST', `/api/join/${made.body.inviteCode}`);
}

const toFilesPath = (page: PublishedPage) => `/api/pages/${page.id}/team-files`;

/** Sends a form like a browser. */
async function send(page: PublishedPage, name: Name, form: FormData, app = quire): Promise<TestResponse> {
  const response = await app.request(toFilesPath(page), {
    method: 'POST',
    headers: { authorization: `Bearer ${people[name].token}` },
    body: form,
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

function upload(page: PublishedPage, name: Name, file: File | string = 'notes.txt'): Promise<TestResponse> {
  const form = new FormData();
  form.append('file', typeof file === 'string' ? new File([`by ${name}`], file) : file);
  return send(page, name, form);
}

/** Sends one part with the given headers. */
async function sendRaw(page: PublishedPage, disposition: string, more = ''): Promise<TestResponse> {
  const response = await quire.request(toFilesPath(page), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${people.member.token}`,
      'content-type': 'multipart/form-data; boundary=B',
    },
    body: `--B\r\nContent-Disposition: ${disposition}\r\n${more}\r\nx\r\n--B--\r\n`,
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const download = (page: PublishedPage, id: string, name: Name = 'viewer') =>
  quire.request(`${toFilesPath(page)}/${id}`, { headers: { authorization: `Bearer ${people[name].token}` } });

const list = async (page: PublishedPage) =>
  (await people.owner.call('GET', toFilesPath(page))).body.files as Array<{ id: string; name: string }>;

/** The ids of files with bytes on the disk. */
function keptIds(): string[] {
  const folder = join(quire.dataFolder, 'blobs');
  const names = [...new Bun.Glob('**/*').scanSync({ cwd: folder, dot: true })];
  return names.map((path) => path.split('/').at(-1) ?? '').sort();
}

/** Waits until the sweep has removed bytes. */
async function bytesGone(id: string): Promise<void> {
  const path = join(quire.dataFolder, 'blobs', 'team-files', id.slice(-2), id);
  while (existsSync(path)) await Bun.sleep(20);
}

describe('a file', () => {
  test('is returned unchanged', async () => {
    const page = await team();
    const bytes = crypto.getRandomValues(new Uint8Array(70_000));
    const sent = await upload(page, 'member', new File([bytes], 'photo.png', { type: 'image/png' }));
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'photo.png',
      size: 70_000,
      contentType: 'image/png',
      uploadedBy: { id: people.member.id, username: 'member' },
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const answer = await download(page, sent.body.id);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '70000',
      'content-disposition': `attachment; filename="photo.png"; filename*=UTF-8''photo.png`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    expect((await people.viewer.call('GET', `/api/pages/${page.slug}/team-files`)).body).toEqual({
      files: [sent.body],
    });
  });

  test('can be empty', async () => {
    const page = await team();
    const sent = await upload(page, 'member', new File([], 'empty.txt'));
    expect([sent.status, sent.body.size]).toEqual([201, 0]);
    const answer = await download(page, sent.body.id);
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '0']);
  });

  test('can have 10 MB and not a byte more', async () => {
    const page = await team();
    const full = await upload(page, 'member', new File([new Uint8Array(MAX_BYTES)], 'full.bin'));
    expect([full.status, full.body.size]).toEqual([201, MAX_BYTES]);
    const kept = keptIds();
    for (const size of [MAX_BYTES + 1, MAX_BYTES + 1024 * 1024]) {
      const answer = await upload(page, 'member', new File([new Uint8Array(size)], 'over.bin'));
      expect([answer.status, answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
    expect(keptIds()).toEqual(kept);
    expect((await list(page)).map(({ name }) => name)).toEqual(['full.bin']);
  });

  test('is not read if the sender cannot upload', async () => {
    const page = await team();
    let isRead = false;
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await quire.request(toFilesPath(page), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${people.stranger.token}`,
        'content-type': 'multipart/form-data; boundary=B',
      },
      body,
    });
    expect([answer.status, isRead]).toEqual([403, false]);
  });

  test('is listed, newest first', async () => {
    const page = await team();
    for (const name of ['first', 'second', 'third']) await upload(page, 'member', name);
    expect((await list(page)).map(({ name }) => name)).toEqual(['third', 'second', 'first']);
  });

  test('of another page is not found', async () => {
    const [page, other] = [await team(), await team()];
    const { id } = (await upload(page, 'member')).body;
    expect((await download(other, id)).status).toBe(404);
    expect((await people.owner.call('DELETE', `${toFilesPath(other)}/${id}`)).status).toBe(404);
    expect((await download(page, id)).status).toBe(200);
    for (const odd of ['1', '..', '%2e%2e%2fquire.db', `${id}x`, id.toUpperCase()]) {
      expect((await people.owner.call('GET', `${toFilesPath(page)}/${odd}`)).status).toBe(404);
    }
  });
});

describe('a file name', () => {
  const KEPT: Array<[disposition: string, name: string, plain: string]> = [
    ['filename="a.txt"', 'a.txt', 'a.txt'],
    ['filename="../../etc/passwd"', 'passwd', 'passwd'],
    ['filename="C:\\\\Users\\\\x\\\\y.doc"', 'y.doc', 'y.doc'],
    ['filename="/abs/ü €.txt"', 'ü €.txt', '_ _.txt'],
    [
      'filename="a%22; filename=evil.exe; x=%22.txt"',
      'a"; filename=evil.exe; x=".txt',
      'a_; filename=evil.exe; x=_.txt',
    ],
    ['filename="100%.txt"', '100%.txt', '100_.txt'],
    [
      'filename="<script>alert(1)<script>.html"',
      '<script>alert(1)<script>.html',
      '<script>alert(1)<script>.html',
    ],
    ["filename*=UTF-8''%F0%9F%98%80'(*).txt", "😀'(*).txt", "__'(*).txt"],
    [`filename="${'n'.repeat(200)}"`, 'n'.repeat(200), 'n'.repeat(200)],
    [`filename="${'😀'.repeat(200)}"`, '😀'.repeat(200), '_'.repeat(400)],
    ['filename=" spaced .txt "', 'spaced .txt', 'spaced .txt'],
  ];
  test.each(KEPT)('with %s is stored as %j', async (disposition, name, plain) => {
    const page = await team();
    const sent = await sendRaw(page, `form-data; name="file"; ${disposition}`);
    expect([sent.status, sent.body.name]).toEqual([201, name]);
    const header = (await download(page, sent.body.id)).headers.get('content-disposition') ?? '';
    const [, ascii, encoded = ''] =
      /^attachment; filename="([ -~]*)"; filename\*=UTF-8''([\w.!~%-]+)$/.exec(header) ?? [];
    expect(ascii).toBe(plain);
    expect(decodeURIComponent(encoded)).toBe(name);
  });

  test.each([
    'filename=""',
    'filename="."',
    'filename="folder/.."',
    'filename="folder/"',
    'filename="   "',
    `filename="${'n'.repeat(201)}"`,
    'filename="a%0D%0ASet-Cookie: x=1.txt"',
    'filename="a\0b.txt"',
    'filename="a\u007fb.txt"',
    'filename="a\u0085b.txt"',
    'filename="a\u2028b.txt"',
    'filename="photo\u202Egpj.exe"',
    "filename*=UTF-8''%ff.txt",
    '',
  ])('with %j is refused', async (disposition) => {
    const page = await team();
    const sent = await sendRaw(page, `form-data; name="file"; ${disposition}`);
    expect([sent.status, sent.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(await list(page)).toEqual([]);
  });
});

describe('a content type', () => {
  const TYPES: Array<[given: string, kept: string]> = [
    ['text/html', 'text/html'],
    ['image/svg+xml', 'image/svg+xml'],
    ['TEXT/Plain; charset=utf-8', 'text/plain'],
    ['', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
    ['text/html\u0001', 'application/octet-stream'],
    ['text/"html', 'application/octet-stream'],
    [`text/${'x'.repeat(200)}`, 'application/octet-stream'],
  ];
  test.each(TYPES)('of %j is served as %s, as a download', async (given, kept) => {
    const page = await team();
    const sent = await sendRaw(
      page,
      'form-data; name="file"; filename="page.html"',
      given && `Content-Type: ${given}\r\n`,
    );
    expect([sent.status, sent.body.contentType]).toEqual([201, kept]);
    const { headers } = await download(page, sent.body.id);
    expect(headers.get('content-type')).toBe(kept);
    expect(headers.get('content-disposition')).toStartWith('attachment;');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toStartWith('sandbox;');
  });
});

describe('an upload form', () => {
  const file = () => new File(['x'], 'a.txt');
  const FORMS: Array<[title: string, entries: Array<[string, File | string]>]> = [
    ['nothing', []],
    ['a text', [['file', 'text']]],
    ['another field', [['picture', file()]]],
    [
      'an extra field',
      [
        ['file', file()],
        ['name', 'b.txt'],
      ],
    ],
    [
      'two files',
      [
        ['file', file()],
        ['file', file()],
      ],
    ],
  ];
  test.each(FORMS)('with %s is refused', async (_, entries) => {
    const page = await team();
    const form = new FormData();
    for (const [name, value] of entries) form.append(name, value);
    const sent = await send(page, 'member', form);
    expect([sent.status, sent.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(await list(page)).toEqual([]);
  });

  test('cannot be replaced by another kind of body', async () => {
    const page = await team();
    const json = await people.member.call('POST', toFilesPath(page), { body: { file: 'x' } });
    expect([json.status, json.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect((await people.member.call('POST', toFilesPath(page))).status).toBe(415);
  });
});

describe('access by role', () => {
  const MAY: Array<[Name, { read: number; upload: number; deleteOwn: number; deleteOther: number }]> = [
    ['owner', { read: 200, upload: 201, deleteOwn: 204, deleteOther: 204 }],
    ['admin', { read: 200, upload: 201, deleteOwn: 204, deleteOther: 204 }],
    ['member', { read: 200, upload: 201, deleteOwn: 204, deleteOther: 403 }],
    ['viewer', { read: 200, upload: 403, deleteOwn: 403, deleteOther: 403 }],
    ['stranger', { read: 403, upload: 403, deleteOwn: 403, deleteOther: 403 }],
  ];
  test.each(MAY)('%s: %j', async (name, expected) => {
    const page = await team();
    // Their own file is from a time when they were a member.
    const isOutside = name === 'viewer' || name === 'stranger';
    if (isOutside) await joinAs(page, name, 'member');
    const own = (await upload(page, name)).body;
    const path = `/api/pages/${page.id}/team/${people[name].id}`;
    if (name === 'viewer') await people.owner.call('PATCH', path, { body: { role: 'viewer' } });
    if (name === 'stranger') await people.owner.call('DELETE', path);
    const other = (await upload(page, name === 'owner' ? 'admin' : 'owner')).body;

    expect((await people[name].call('GET', toFilesPath(page))).status).toBe(expected.read);
    expect((await download(page, other.id, name)).status).toBe(expected.read);
    expect((await upload(page, name)).status).toBe(expected.upload);
    const remove = async (id: string) =>
      (await people[name].call('DELETE', `${toFilesPath(page)}/${id}`)).status;
    expect(await remove(other.id)).toBe(expected.deleteOther);
    expect(await remove(own.id)).toBe(expected.deleteOwn);
    const left = (await list(page)).map(({ id }) => id);
    expect(left.includes(other.id)).toBe(expected.deleteOther !== 204);
    expect(left.includes(own.id)).toBe(expected.deleteOwn !== 204);
  });
});

describe('stored bytes', () => {
  test('are removed when their file is deleted', async () => {
    const page = await team();
    const { id } = (await upload(page, 'member')).body;
    expect(keptIds()).toContain(id);
    expect((await people.member.call('DELETE', `${toFilesPath(page)}/${id}`)).status).toBe(204);
    expect((await people.member.call('DELETE', `${toFilesPath(page)}/${id}`)).status).toBe(404);
    expect((await download(page, id)).status).toBe(404);
    await bytesGone(id);
  });

  test('are removed when their page is deleted', async () => {
    const page = await team();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await upload(page, 'member')).body.id);
    expect((await people.owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
    for (const id of ids) await bytesGone(id);
  });
});
