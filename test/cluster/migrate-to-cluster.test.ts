import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { PASSWORD } from '../support/http/call.ts';
import { call, publish, register } from '../support/http/client.ts';
import { type DnsServer, startDns } from '../support/pages/dns.ts';
import { freePort, startServer, type TestServer } from '../support/server.ts';

/**
 * Moves a real installation with something of every kind from one machine into a cluster, and checks it
 * there.
 */

const DOMAIN = 'shop.example.com';
const CODE = `export default { async fetch(request, env) {
  const { results } = await env.DB.prepare('select * from kinds order by id').all();
  return Response.json({ secret: env.KEY, results });
} };`;

let root: string;
let old: string;
let secret: string;
let shell: Shell;
let s3: TestS3;
let database: { url: string; stop(): Promise<void> };
let settings: Record<string, string>;
let before: Seen;
let page: { id: number; slug: string };
/** A page with files, a password, a domain and a form. */
let site: { id: number; slug: string };
let fileId: string;
/** The same for both, because pages contain their own address. */
let port: number;

/** What an owner sees of the installation. */
interface Seen {
  html: string;
  records: unknown;
  file: unknown;
  image: string;
  answer: unknown;
  script: unknown;
  versions: unknown;
  user: unknown;
  site: unknown;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'quire-migrate-'));
  old = join(root, 'old');
  shell = openShell();
  s3 = await startS3();
  database = await startDatabase();
  port = await freePort();
  const dns = await startDns();
  const server = await startServer({ dataFolder: old, port, settings: { QUIRE_DNS_SERVERS: dns.address } });
  const { token } = await register(server, 'ada');
  await fillIn(server, token);
  await addSite(server, token, dns);
  await dns.stop();
  before = await look(server);
  expect(before.site).toMatchObject({
    photo: expect.anything(),
    refused: 403,
    style: [200, 'p { color: teal }'],
    part: [206, 'color'],
    domains: [{ domain: DOMAIN, status: 'verified' }],
  });
  await server.stop();
  secret = readFileSync(join(old, 'secret'), 'utf8').trim();
  settings = {
    QUIRE_DATA: join(root, 'node'),
    DATABASE_URL: database.url,
    REDIS_URL: 'redis://127.0.0.1:1',
    ...s3.settings,
    QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    // So that one port is enough.
    QUIRE_CLUSTER_SHARDS: '1',
    QUIRE_SECRET: secret,
  };
}, 120_000);
afterAll(async () => {
  await shell?.stop();
  await database?.stop();
  await s3?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function fillIn(server: TestServer, token: string): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await call(server, method, path, { token, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  page = await publish(server, token, {
    name: 'Täam',
    storage_mode: 'team_app',
    html_content: '<h1>Ünïcödé 😀',
  });
  for (let i = 0; i < 30; i++)
    await send('POST', `/api/pages/${page.id}/team-data/notes`, {
      data: { i, text: `é😀 ${i}`, n: [1, null] },
    });
  const body = new FormData();
  body.append('file', new File(['\0 bytes \xff'], 'notes.bin'));
  const headers = { authorization: `Bearer ${token}` };
  const files = `http://127.0.0.1:${server.port}/api/pages/${page.id}/team-files`;
  fileId = ((await (await fetch(files, { method: 'POST', headers, body })).json()) as { id: string }).id;
  await send('POST', `/api/pages/${page.id}/generate-preview-image`);
  await send('POST', '/api/functions', { slug: 'kinds', code: CODE, enableDatabase: true });
  await send('PATCH', '/api/functions/kinds', { code: `${CODE}// second` });
  await send('PUT', '/api/functions/kinds/secrets/KEY', { value: 's3cret' });
  for (const sql of [
    'create table owners (id integer primary key autoincrement, name text unique)',
    `create table kinds (id integer primary key, "odd ""name" text, big integer, real real, bytes blob, untyped,
      owner integer references owners (id), twice integer generated always as (id * 2) stored)`,
    'create table bare (v)',
    'create index bare_v on bare (v)',
    'create view seen as select id from kinds',
    'create trigger counted after insert on bare begin delete from bare where v is null; end',
    "insert into owners (name) values ('ada'), ('gone')",
    "delete from owners where name = 'gone'",
    `insert into kinds (id, "odd ""name", big, real, bytes, untyped, owner) values
      (1, 'é😀''"\n;', 9007199254740993, 0.1, x'00ff10', null, 1),
      (2, '', -9223372036854775808, 1e300, x'', 'text', null),
      (3, replace(hex(zeroblob(100000)), '00', 'long'), 9223372036854775807, -0.0, randomblob(5000), 5, 1)`,
    'insert into bare (v) select value from (with recursive n (value) as (select 1 union all select value + 1 from n where value < 2000) select value from n)',
    'delete from bare where v % 3 = 0',
  ])
    await send('POST', '/api/functions/kinds/database', { sql });
  // One database that was never written, and one that was deleted.
  await send('POST', '/api/functions', { slug: 'empty', code: CODE, enableDatabase: true });
  await send('POST', '/api/functions/empty/database', { sql: 'select 1' });
  await send('POST', '/api/functions', { slug: 'gone', code: CODE, enableDatabase: true });
  await send('DELETE', '/api/functions/gone');
}

async function addSite(server: TestServer, token: string, dns: DnsServer): Promise<void> {
  site = await publish(server, token, { name: 'Site', access: { mode: 'password', password: PASSWORD } });
  const path = `/api/pages/${site.id}`;
  const address = `http://127.0.0.1:${server.port}${path}`;
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${address}/files/css/style.css`, { method: 'PUT', headers, body: 'p { color: teal }' });
  const added = await call(server, 'POST', `${path}/domains`, { token, body: { domain: DOMAIN } });
  const [{ name, value }] = added.body.dns;
  dns.set(name, { txt: [value] });
  await call(server, 'POST', `${path}/domains/${DOMAIN}/verify`, { token });
  const body = new FormData();
  body.append('photo', new File(['a photo'], 'photo.png'));
  await fetch(`${address}/forms/contact`, { method: 'POST', headers, body });
}

/** The site as its visitors and its owner see it. */
async function lookAtSite(server: TestServer, token: string): Promise<unknown> {
  const path = `/api/pages/${site.id}`;
  const ask = async (of: string, headers: Record<string, string>) => {
    const { status, body } = await call(server, 'GET', of, { headers });
    return [status, body];
  };
  const [message] = (await call(server, 'GET', `${path}/forms/contact`, { token })).body.messages;
  const photo = `${path}/forms/contact/${message.id}/files/${message.files[0].id}`;
  const given = await call(server, 'POST', `${path}/pass`, { body: { password: PASSWORD } });
  const host = `${DOMAIN}:${port}`;
  const visitor = { host, 'x-page-pass': given.body.pass };
  return {
    message,
    photo: (await call(server, 'GET', photo, { token })).body,
    refused: (await ask('/css/style.css', { host }))[0],
    style: await ask('/css/style.css', visitor),
    part: await ask('/css/style.css', { ...visitor, range: 'bytes=4-8' }),
    domains: (await call(server, 'GET', `${path}/domains`, { token })).body.domains,
  };
}

async function look(server: TestServer): Promise<Seen> {
  const body = { username: 'ada', password: PASSWORD };
  const token = (await call(server, 'POST', '/api/auth/token', { body })).body.accessToken;
  const get = async (path: string) => {
    const answer = await call(server, 'GET', path, { token });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { preview_image } = (await get(`/api/pages/${page.id}`)).page;
  const image = await fetch(`http://127.0.0.1:${server.port}${new URL(preview_image).pathname}`);
  return {
    html: await get(`/p/${page.slug}`),
    records: (await get(`/api/pages/${page.id}/team-data/notes?limit=100`)).records,
    file: await get(`/api/pages/${page.id}/team-files/${fileId}`),
    image: createHash('sha256')
      .update(await image.bytes())
      .digest('hex'),
    answer: (await call(server, 'POST', '/api/functions/kinds', { body: {} })).body,
    script: await get('/api/functions/kinds/database/export'),
    versions: [await get('/api/functions/kinds/versions'), await get('/api/functions/kinds/versions/1')],
    user: (await get('/api/auth/me')).username,
    site: await lookAtSite(server, token),
  };
}

/**
 * A hash of every file in a folder. SQLite's logs are left out, because they may be merged into their
 * databases.
 */
function hashContents(folder: string): string[] {
  const names = [...new Bun.Glob('**/*').scanSync({ cwd: folder, dot: true })].sort();
  return names
    .filter((name) => !/(-wal|-shm)$/.test(name) && name !== 'lock')
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );
}

const migrate = (env: Record<string, string | undefined> = {}, ...more: string[]) =>
  shell.run(['migrate-to-cluster', old, '--json', ...more], { env: { ...settings, ...env } });

/** Checks that nothing was stored anywhere. */
async function expectNothing(): Promise<void> {
  const keys = ((await new Bun.S3Client(s3).list({ prefix: 'blobs/' })).contents ?? []).map(({ key }) => key);
  expect(keys).toEqual([]);
  const sql = new Bun.SQL(database.url);
  expect(
    await sql`select tablename from pg_tables where schemaname = 'public'`.then((rows) => [...rows]),
  ).toEqual([]);
  await sql.close();
}

/** Checks that the cluster charges owners for the size of their databases. */
async function expectCharged(): Promise<void> {
  const sql = new Bun.SQL(database.url);
  const lite = new Bun.SQL(`sqlite://${join(old, 'quire.db')}`);
  const [{ charged }] = await sql`select sum(bytes)::int as charged from function_databases`;
  const [now] = await sql`select bytes::int as bytes from usage`;
  const [then] = await lite`select bytes from usage`;
  await sql.close();
  await lite.close();
  expect(charged).toBeGreaterThan(400_000);
  expect(now.bytes - then.bytes).toBe(charged);
}

describe.concurrent('a refused migration moves nothing:', () => {
  test('no cluster in the settings', async () => {
    const { code, stderr } = await migrate({ QUIRE_CLUSTER_ADDRESS: '' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('QUIRE_CLUSTER_ADDRESS')]);
  });

  test('a folder without an installation', async () => {
    const { code, stderr } = await shell.run(['migrate-to-cluster', root], { env: settings });
    expect([code, stderr]).toEqual([4, expect.stringContaining('no quire.db')]);
  });

  test('another key than the old installation has', async () => {
    const { code, stderr } = await migrate({ QUIRE_SECRET: 'another key of at least 32 characters' });
    expect([code, stderr]).toEqual([1, expect.stringContaining(join(old, 'secret'))]);
    expect(stderr).not.toContain(secret);
  });

  test('another key than the old installation was started with', async () => {
    const keyless = join(root, 'keyless');
    cpSync(old, keyless, { recursive: true, filter: (path) => path !== join(old, 'secret') });
    const env = { ...settings, QUIRE_SECRET: 'another key of at least 32 characters' };
    const { code, stderr } = await shell.run(['migrate-to-cluster', keyless], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('its own QUIRE_SECRET')]);
  });

  test('its own folder as the target', async () => {
    const { code, stderr } = await migrate({ QUIRE_DATA: old });
    expect([code, stderr]).toEqual([2, expect.stringContaining('QUIRE_DATA')]);
  });
});

describe('a refused migration moves nothing:', () => {
  test('an old server that is still running', async () => {
    const server = await startServer({ dataFolder: old });
    try {
      const { code, stderr } = await migrate();
      expect([code, stderr]).toEqual([5, expect.stringContaining('Stop it')]);
    } finally {
      await server.stop();
    }
  });

  test('a target folder or bucket that is not empty', async () => {
    const taken = join(root, 'taken');
    mkdirSync(taken);
    writeFileSync(join(taken, 'mine.txt'), 'mine');
    const { code, stderr } = await migrate({ QUIRE_DATA: taken });
    expect([code, stderr]).toEqual([1, expect.stringContaining('not empty')]);
    const client = new Bun.S3Client(s3);
    await client.write('blobs/other', 'other');
    try {
      const second = await migrate();
      expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('S3_BUCKET')]);
      expect(second.stderr).toContain('has not changed');
    } finally {
      await client.delete('blobs/other');
    }
    expect(readdirSync(taken)).toEqual(['mine.txt']);
    await expectNothing();
  });

  test('a bucket that refuses the request', async () => {
    const { code, stderr } = await migrate({ S3_SECRET_ACCESS_KEY: 'other' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('S3_BUCKET')]);
    await expectNothing();
  });
});

test('moves everything, leaves the old installation unchanged, and refuses a second migration', async () => {
  const untouched = hashContents(old);
  const { code, stderr, json } = await migrate();
  expect([code, stderr]).toEqual([0, '']);
  const { checks, ...counts } = json();
  expect(counts).toMatchObject({
    users: 1,
    pages: 2,
    records: 30,
    // With the key that every installation has.
    functions: 3,
    databases: 2,
    blobs: 4,
    missing: [],
  });
  expect(checks.filter(({ agrees }: { agrees: boolean }) => !agrees)).toEqual([]);
  const found = Object.fromEntries(
    checks.map(({ what, after }: { what: string; after: number }) => [what, after]),
  );
  expect(found).toMatchObject({ 'rows of records': 30, 'files and pictures': 4, databases: 2 });
  expect(Object.values(found).filter((count) => count === 1 + 3 + 1334).length).toBe(1);
  expect(hashContents(old)).toEqual(untouched);

  const again = await migrate({ QUIRE_DATA: join(root, 'other-node') });
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('S3_BUCKET')]);
  const bucket = await startS3();
  const third = await migrate({ ...bucket.settings, QUIRE_DATA: join(root, 'other-node') });
  await bucket.stop();
  expect([third.code, third.stderr]).toEqual([1, expect.stringContaining('DATABASE_URL is not empty')]);

  await expectCharged();
}, 120_000);

test('a node of the cluster has everything, and its backup can be restored on one machine', async () => {
  const { QUIRE_DATA: dataFolder = '', ...others } = settings;
  const node = await startServer({ dataFolder, port, settings: others });
  const archive = join(root, 'archive.tar.gz');
  try {
    expect(await look(node)).toEqual(before);
    const { code, stderr } = await shell.run(['backup', archive, '--quiet'], { env: settings });
    expect([code, stderr]).toEqual([0, '']);
  } finally {
    await node.stop();
  }
  const env = { QUIRE_DATA: join(root, 'back'), QUIRE_SECRET: secret };
  const restored = await shell.run(['restore', archive, '--move', '--quiet'], { env });
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  const back = await startServer({ dataFolder: env.QUIRE_DATA, port, settings: { QUIRE_SECRET: secret } });
  try {
    expect(await look(back)).toEqual(before);
  } finally {
    await back.stop();
  }
}, 120_000);

test.concurrent('leaves databases that are already in the bucket alone, and undoes the migration', async () => {
  const client = new Bun.S3Client(s3);
  for (const { key } of (await client.list({ prefix: 'blobs/' })).contents ?? []) await client.delete(key);
  const kept = ((await client.list({ prefix: 'databases/' })).contents ?? []).length;
  await database.stop();
  database = await startDatabase();
  const { code, stderr } = await migrate({ QUIRE_DATA: join(root, 'third'), DATABASE_URL: database.url });
  expect([code, stderr]).toEqual([1, expect.stringContaining('of another installation')]);
  expect(stderr).toContain('has not changed');
  await expectNothing();
  expect(readdirSync(join(root, 'third'))).toEqual([]);
  expect(((await client.list({ prefix: 'databases/' })).contents ?? []).length).toBeGreaterThanOrEqual(kept);
}, 120_000);

test.concurrent('also moves an installation on PostgreSQL', async () => {
  const [from, to, bucket] = await Promise.all([startDatabase(), startDatabase(), startS3()]);
  try {
    const one = { QUIRE_DATA: join(root, 'on-postgres'), DATABASE_URL: from.url, QUIRE_SECRET: secret };
    const archive = join(root, 'archive.tar.gz');
    const restored = await shell.run(['restore', archive, '--move', '--quiet'], { env: one });
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    const env = {
      ...settings,
      ...bucket.settings,
      DATABASE_URL: to.url,
      QUIRE_DATA: join(root, 'fourth'),
    };
    const args = ['migrate-to-cluster', one.QUIRE_DATA, '--database-url', from.url, '--json'];
    const { code, stderr, json } = await shell.run(args, { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(json()).toMatchObject({ users: 1, records: 30, databases: 2, blobs: 4 });
    expect(json().checks.every(({ agrees }: { agrees: boolean }) => agrees)).toBe(true);
  } finally {
    await Promise.all([from.stop(), to.stop(), bucket.stop()]);
  }
}, 120_000);
