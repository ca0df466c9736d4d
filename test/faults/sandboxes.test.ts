import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOnlyDatabases } from '../../server/runtime/databases/index.ts';
import { plainPath } from '../support/cli/archive.ts';
import {
  type FunctionServer,
  HELLO,
  helpers,
  runtimeFolder,
  startFunctionServer,
} from '../support/functions/server.ts';
import { type Account, call, register } from '../support/http/client.ts';

/** The sandboxes of the processes that run our own code: database hosts and the egress. */

const TEMP_MEGABYTES = 8;
const isRoot = process.getuid?.() === 0;

let quire: FunctionServer;
let neighbour: Account;
let slug: string;
let theirs: string;
let boxes: Record<string, string>;
beforeAll(async () => {
  quire = await startFunctionServer({ settings: { QUIRE_DATABASE_TEMP_MB: String(TEMP_MEGABYTES) } });
  neighbour = await register(quire, 'neighbour');
  slug = await quire.deploy(HELLO, { enableDatabase: true });
  theirs = await quire.deploy(HELLO, { enableDatabase: true }, neighbour);
  await quire.sql(slug, 'CREATE TABLE notes (text)');
  await quire.sql(theirs, 'CREATE TABLE notes (text)', [], neighbour);
  boxes = (await call(quire, 'GET', '/healthz')).body.boxes;
}, 120_000);
afterAll(() => quire.stop());

const findPids = (kind: string) => helpers(quire).flatMap((one) => (one.kind === kind ? [one.pid] : []));

const status = (pid: number, field: string) =>
  new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

const sharesWithServer = (pid: number, namespace: string) =>
  readlinkSync(`/proc/${pid}/ns/${namespace}`) === readlinkSync(`/proc/${quire.pid}/ns/${namespace}`);

/** All files in a folder, at all depths. */
const below = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name));

describe('the health report', () => {
  test('shows the sandbox level of each kind of process', () => {
    expect(Object.keys(boxes).sort()).toEqual(['databases', 'egress', 'functions']);
  });
});

describe.each([
  ['database host', 'databases'],
  ['egress', 'egress'],
] as const)('the %s', (kind, box) => {
  test('has no privileges, a system call filter, and a user of its own', () => {
    if (boxes[box] !== 'bwrap') return;
    const pids = findPids(kind);
    expect(pids.length).toBe(kind === 'egress' ? 1 : 2);
    for (const pid of pids) {
      const FILTERED = '2';
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
        expect(status(pid, set)).toBe('0'.repeat(16));
      expect([status(pid, 'NoNewPrivs'), status(pid, 'Seccomp')]).toEqual(['1', FILTERED]);
      for (const namespace of ['pid', 'mnt', 'ipc', 'user', 'uts'])
        expect([namespace, sharesWithServer(pid, namespace)]).toEqual([namespace, false]);
      expect(sharesWithServer(pid, 'net')).toBe(kind === 'egress');
    }
    if (!isRoot) return;
    const users = helpers(quire).flatMap((one) => (one.kind === 'box' ? [] : [status(one.pid, 'Uid')]));
    expect(new Set(users).size).toBe(users.length);
    expect(users.filter((ids) => /\b(0|65534)\b/.test(ids))).toEqual([]);
  });

  test('sees only the files it needs', () => {
    if (boxes[box] !== 'bwrap') return;
    const needed = { 'database host': ['data', 'tmp'], egress: ['etc'] }[kind];
    for (const pid of findPids(kind)) {
      const seen = readdirSync(`/proc/${pid}/root`).filter((name) => !/^(lib|usr|nix)/.test(name));
      expect(seen.sort()).toEqual(['config', 'dev', 'program', 'sockets', ...needed].sort());
      expect(existsSync(`/proc/${pid}/root/config/config.capnp`)).toBeFalse();
    }
  });
});

describe('a database host', () => {
  test('sees only the databases of its owner', () => {
    if (boxes.databases !== 'bwrap') return;
    const files = findPids('database host').map((pid) =>
      readdirSync(`/proc/${pid}/root/data/quire-database`),
    );
    expect(files.map((names) => names.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)).length)).toEqual([
      1, 1,
    ]);
    expect(files[0]).not.toEqual(files[1] ?? []);
  });

  test('has a key that is in no file and on no command line', async () => {
    const folder = runtimeFolder(quire);
    const left = below(folder).filter((path) => /(databases-\d+|egress)/.test(path));
    expect(left.filter((path) => lstatSync(path).isFile())).toEqual([]);
    for (const { pid } of helpers(quire))
      expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).not.toMatch(/[0-9a-f]{64}/);
  });

  test('has a key that opens no other host', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-keys-'));
    const { databases, stop } = await startOnlyDatabases({
      ...{ dataFolder, sandbox: 'auto', databaseTempBytes: 1024 ** 2 },
      onLine: () => undefined,
    });
    databases.useQuota({
      remaining: async () => 1024 ** 2,
      grant: async (_ownerId, _databaseId, bytes) => bytes,
    });
    const [mine, other] = await Promise.all([databases.open(1, 7), databases.open(2, 7)]);
    const ask = (folder: string, key: string) =>
      fetch('http://database/query', {
        method: 'POST',
        unix: join(folder, 'http'),
        headers: { 'x-quire-key': key, 'x-quire-database': mine.name },
        body: JSON.stringify({ sql: 'SELECT 1' }),
      } as RequestInit).then((response) => response.status);
    expect(mine.name).toBe(other.name);
    expect([await ask(mine.folder, mine.key), await ask(other.folder, other.key)]).toEqual([200, 200]);
    expect([await ask(mine.folder, other.key), await ask(other.folder, mine.key)]).toEqual([403, 403]);
    await stop();
    rmSync(dataFolder, { recursive: true });
  }, 120_000);

  test('accepts requests only from the server and the cells of its owner', () => {
    if (!isRoot || boxes.databases === 'plain') return;
    const [runtime = ''] = readdirSync(runtimeFolder(quire)).map((name) => join(runtimeFolder(quire), name));
    for (const socket of ['databases-1/http', 'egress/inner']) {
      expect(existsSync(join(runtime, socket))).toBeTrue();
      const asNobody = Bun.spawnSync([
        ...['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
        ...['test', '-e', join(runtime, socket)],
      ]);
      expect(asNobody.exitCode).toBe(1);
    }
  });

  test('takes over files of an earlier version, and does not follow links among them', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-adopted-'));
    let server = await startFunctionServer({ dataFolder });
    const kept = await server.deploy(HELLO, { enableDatabase: true });
    await server.sql(kept, 'CREATE TABLE notes (text)');
    await server.sql(kept, 'INSERT INTO notes VALUES (?)', ['kept']);
    const { owner } = server;
    expect(await server.stop()).toBe(0);
    const [ownerId = ''] = readdirSync(join(dataFolder, 'databases'));
    const folder = join(dataFolder, 'databases', ownerId);
    const inner = join(folder, 'quire-database');
    const secret = join(dataFolder, 'a file of the server');
    writeFileSync(secret, 'secret');
    const link = join(inner, `${'0'.repeat(64)}.sqlite`);
    symlinkSync(secret, link);
    mkdirSync(join(inner, 'left'));
    if (isRoot) for (const path of [folder, ...below(folder)]) if (path !== link) chownSync(path, 0, 0);

    server = await startFunctionServer({ dataFolder, owner });
    expect((await server.sql(kept, 'SELECT text FROM notes')).body.results).toEqual([{ text: 'kept' }]);
    expect((await server.sql(kept, 'INSERT INTO notes VALUES (?)', ['more'])).status).toBe(200);
    expect([existsSync(link), existsSync(join(inner, 'left')), readFileSync(secret, 'utf8')]).toEqual([
      false,
      false,
      'secret',
    ]);
    if (isRoot && boxes.databases !== 'plain') {
      expect(lstatSync(secret).uid).toBe(0);
      expect(lstatSync(folder).uid).toBe(0);
      const users = new Set(below(folder).map((path) => lstatSync(path).uid));
      expect([users.size, users.has(0)]).toEqual([1, false]);
    }
    await server.stop();
    rmSync(dataFolder, { recursive: true });
  }, 120_000);
});

describe('temporary files of SQLite', () => {
  /** Sorts about this many megabytes of rows without an index. */
  const sort = (megabytes: number, rows = Math.round(megabytes * 4096)) =>
    `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${rows})
     SELECT length(t) AS length FROM (SELECT hex(randomblob(128)) AS t FROM n) ORDER BY t LIMIT 1 OFFSET ${rows - 1}`;
  const FULL = { code: 'INVALID_SQL', error: expect.stringContaining('no space left') };

  test('have a size limit, and a statement that needs more fails and says why', async () => {
    if (boxes.databases !== 'bwrap') return;
    const within = await quire.sql(slug, sort(TEMP_MEGABYTES / 4));
    expect(within.body).toMatchObject({ results: [{ length: 256 }] });
    const [pid] = findPids('database host');
    const beyond = await quire.sql(slug, sort(TEMP_MEGABYTES * 2));
    expect([beyond.status, beyond.body]).toEqual([400, FULL]);
    // The space is free again in the same process, and the neighbour has a limit of their own.
    expect((await quire.sql(slug, sort(TEMP_MEGABYTES / 4))).status).toBe(200);
    expect((await quire.sql(theirs, sort(TEMP_MEGABYTES / 4), [], neighbour)).status).toBe(200);
    expect(findPids('database host')[0]).toBe(pid ?? 0);
  }, 120_000);

  test('that become too large roll back the write that needed them', async () => {
    if (boxes.databases !== 'bwrap') return;
    await quire.sql(
      slug,
      `CREATE TABLE wide AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000)
       SELECT x, printf('%.*c', 1000, 'a') AS t FROM n`,
    );
    const update = await quire.sql(slug, "UPDATE wide SET t = t || 'b'");
    expect([update.status, update.body]).toEqual([400, FULL]);
    const left = 'SELECT count(*) AS rows, sum(length(t)) AS length FROM wide';
    expect((await quire.sql(slug, left)).body.results).toEqual([{ rows: 20_000, length: 20_000_000 }]);
    const part = await quire.sql(slug, "UPDATE wide SET t = t || 'b' WHERE x <= 1000");
    expect([part.status, part.body.meta?.changes]).toEqual([200, 1000]);
  }, 120_000);
});

test('functions and their databases also run on a machine without bubblewrap and CA certificates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bare-'));
  chmodSync(folder, 0o755);
  const asRoot = isRoot ? [] : ['--user', '--map-root-user'];
  const hide = 'mount -t tmpfs none /etc/ssl && exec "$@"';
  const bare = await startFunctionServer({
    within: ['unshare', ...asRoot, '--mount', '--propagation', 'private', 'sh', '-c', hide, 'bare'],
    settings: { PATH: plainPath(join(folder, 'bin'), ['bwrap']) },
  });
  try {
    const { sandbox } = (await call(bare, 'GET', '/healthz')).body;
    expect(['setpriv', 'plain']).toContain(sandbox);
    const slug = await bare.deploy(HELLO, { enableDatabase: true });
    expect((await call(bare, 'POST', `/api/functions/${slug}`)).status).toBe(200);
    expect((await bare.sql(slug, 'CREATE TABLE notes (text)')).status).toBe(200);
    await expect(
      bare.deploy('const n: number = 1; export default { fetch: () => new Response(String(n)) };'),
    ).rejects.toThrow('need a sandbox for the compiler');
  } finally {
    await bare.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
