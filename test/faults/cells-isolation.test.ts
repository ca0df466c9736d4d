import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_BINDINGS } from '../../workers/protocol.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  runtimeFolder,
  startFunctionServer,
} from '../support/functions/server.ts';
import { type Account, call, register } from '../support/http/client.ts';

let quire: FunctionServer;
let stranger: Account;
let level: string;
beforeAll(async () => {
  quire = await startFunctionServer({
    settings: { QUIRE_SECRET: 'the key of the service, which nobody may see' },
  });
  stranger = await register(quire, 'stranger');
  level = (await call(quire, 'GET', '/healthz')).body.sandbox;
});
afterAll(() => quire.stop());

const putSecret = (slug: string, name: string, value: string, { token }: Account) =>
  call(quire, 'PUT', `/api/functions/${slug}/secrets/${name}`, { token, body: { value } });

/** The value of an expression in a function, or what it throws. */
async function evaluate(expression: string, fields: Record<string, unknown> = {}): Promise<unknown> {
  const slug = await quire.deploy(
    `export default { async fetch(request, env) {
      const from = (name) => import(name);
      try { return Response.json({ value: ${expression} }); } catch (error) { return Response.json({ error: String(error) }); }
    } };`,
    fields,
  );
  const { body } = await quire.call(slug);
  return body.value ?? body;
}

describe('owner code', () => {
  const UNREACHABLE: Array<[name: string, expression: string]> = [
    ['files of the host', '(await from("node:fs")).readFileSync("/etc/passwd", "utf8")'],
    ['the process of the server', '(await from("node:fs")).readFileSync("/proc/self/environ", "utf8")'],
    ['its own configuration', '(await from("node:fs")).readFileSync("/config/config.capnp", "utf8")'],
    ['a shell', '(await from("node:child_process")).execSync("id").toString()'],
    ['another process', '(await from("node:child_process")).spawn("id").pid + 0'],
    ['a thread', 'new (await from("node:worker_threads")).Worker("1")'],
    ['signals', 'process.kill(1, 9)'],
    [
      'files by a link',
      'await from("node:fs").then((fs) => (fs.symlinkSync("/etc/passwd", "/tmp/x"), fs.readFileSync("/tmp/x")))',
    ],
    ['files by climbing', '(await from("node:fs")).readFileSync("/bundle/../../etc/passwd")'],
    ['its own modules, to change them', '(await from("node:fs")).writeFileSync("/bundle/quire-shim.js", "")'],
    ['modules of the host', '(await from("node:module")).createRequire("/")("/etc/passwd")'],
    ['native code', 'process.dlopen({ exports: {} }, "/tmp/x.node")'],
    ['the bindings of Node.js', 'process.binding("fs")'],
    ['options of the engine', '(await from("node:v8")).setFlagsFromString("--allow-natives-syntax")'],
    ['the heap as a file', '(await from("node:v8")).writeHeapSnapshot("/tmp/heap")'],
    ['a debugger', 'new (await from("node:inspector")).Session().connect()'],
    ['another context', '(await from("node:vm")).runInNewContext("1")'],
    ['files as a database', 'new (await from("node:sqlite")).DatabaseSync("/tmp/x.db")'],
    ['the system by WASI', 'new (await from("node:wasi")).WASI({ version: "preview1" })'],
    ['a process of a cluster', '(await from("node:cluster")).fork()'],
    ['a socket of the host', '(await from("node:net")).connect("/egress/http")'],
    ['a server at a socket', '(await from("node:http")).get({ socketPath: "/egress/http" })'],
    ['internals of the runtime', 'Object.keys(await from("workerd:unsafe"))'],
    ['the module of the database client', 'Object.keys(await from("cloudflare-internal:d1-api"))'],
    ['code from a string', 'new Function("return 1")()'],
  ];
  test.each(UNREACHABLE)('cannot reach %s', async (_, expression) => {
    expect(await evaluate(expression)).toEqual({ error: expect.any(String) });
  });

  test('sees only its own environment', async () => {
    expect(await evaluate('Object.keys(env)')).toEqual(Object.keys(SERVICE_BINDINGS));
    expect(await evaluate('{ ...process.env }')).toEqual({});
    expect(await evaluate('Object.keys((await from("cloudflare:workers")).env)')).toEqual(
      Object.keys(SERVICE_BINDINGS),
    );
    expect(await evaluate('(await from("node:fs")).readdirSync("/").sort()')).toEqual([
      'bundle',
      'dev',
      'tmp',
    ]);
    const own = await evaluate('(await from("node:fs")).readdirSync("/bundle").sort()');
    expect(own).toEqual(['function.js', 'quire-shim.js']);
  });

  test('sees only its own secrets', async () => {
    const code = handler('return Response.json({ env, process: { ...process.env } })');
    const mine = await quire.deploy(code);
    const sister = await quire.deploy(code);
    const theirs = await quire.deploy(code, {}, stranger);
    await putSecret(mine, 'KEY', 'a secret of mine', quire.owner);
    await putSecret(sister, 'OTHER', 'a secret of the sister', quire.owner);
    await putSecret(theirs, 'KEY', 'a secret of theirs', stranger);
    const seen = async (slug: string) => (await quire.call(slug)).body.env;
    const services = Object.fromEntries(Object.keys(SERVICE_BINDINGS).map((name) => [name, {}]));
    expect(await seen(mine)).toEqual({ ...services, KEY: 'a secret of mine' });
    expect(await seen(sister)).toEqual({ ...services, OTHER: 'a secret of the sister' });
    expect(await seen(theirs)).toEqual({ ...services, KEY: 'a secret of theirs' });
    expect(filesBelow(runtimeFolder(quire)).filter((text) => text.includes('a secret of'))).toEqual([]);
  });

  test('reaches only its own database, whatever it passes to the client', async () => {
    const thief = handler(`const answers = [];
      for (const fetcher of [env.DB.fetcher, env.DB.alwaysPrimarySession?.fetcher].filter(Boolean)) {
        for (let id = 1; id < 6; id++) {
          const name = 'database-' + id;
          for (const headers of [{ 'x-quire-database': name }, { 'X-Quire-Database': name, 'x-quire-key': 'x' }]) {
            const response = await fetcher.fetch('http://d/query?x-quire-database=' + name,
              { method: 'POST', headers, body: JSON.stringify({ sql: 'SELECT text FROM notes' }) });
            answers.push(await response.text());
          }
        }
      }
      return Response.json(answers);`);
    const note = async (slug: string, text: string, as: Account) => {
      await quire.sql(slug, 'CREATE TABLE notes (text)', [], as);
      await quire.sql(slug, 'INSERT INTO notes VALUES (?)', [text], as);
    };
    await note(await quire.deploy(HELLO, { enableDatabase: true }), 'of the sister', quire.owner);
    await note(await quire.deploy(HELLO, { enableDatabase: true }, stranger), 'of the stranger', stranger);
    const slug = await quire.deploy(thief, { enableDatabase: true });
    await note(slug, 'of its own', quire.owner);
    const answers: string[] = (await quire.call(slug)).body;
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((text) => !text.includes('of its own'))).toEqual([]);
  });
});

describe('the process that runs owner code', () => {
  const status = (pid: number, field: string) =>
    new RegExp(`^${field}:\\s+(.*)$`, 'm')
      .exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      ?.split(/\s+/);

  async function cellPid(): Promise<number> {
    const before = helpers(quire).map(({ pid }) => pid);
    await quire.deploy(HELLO);
    const cell = helpers(quire).find(({ pid, kind }) => kind === 'cell' && !before.includes(pid));
    return cell?.pid ?? 0;
  }

  test('has a user of its own, no privileges, and a limit on open files', async () => {
    const pid = await cellPid();
    if (level !== 'plain' && process.getuid?.() === 0) {
      const users = helpers(quire)
        .filter(({ kind }) => kind !== 'box')
        .map((one) => status(one.pid, 'Uid'));
      expect(new Set(users.map(String)).size).toBe(users.length);
      // Not a user of the machine, and not `nobody`, which other services use.
      const [id] = status(pid, 'Uid') ?? [];
      expect(users.flat()).not.toContain('65534');
      expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${id}:`);
      expect(status(pid, 'Uid')).toEqual(Array(4).fill(id));
    }
    if (level === 'bwrap') {
      expect([status(pid, 'CapEff'), status(pid, 'NoNewPrivs')]).toEqual([['0000000000000000'], ['1']]);
    }
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    expect(Number(/^Max open files +(\d+)/m.exec(limits)?.[1])).toBeLessThanOrEqual(4096);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).not.toContain('QUIRE');
    expect(environment).not.toContain('the key of the service');
  });

  test('sees no network and only the files it needs, if it is sandboxed', async () => {
    if (level !== 'bwrap') return;
    const pid = await cellPid();
    for (const kind of ['net', 'pid', 'mnt', 'ipc', 'user', 'uts']) {
      expect(readlinkSync(`/proc/${pid}/ns/${kind}`)).not.toBe(readlinkSync(`/proc/${quire.pid}/ns/${kind}`));
    }
    const networks = readFileSync(`/proc/${pid}/net/dev`, 'utf8').split('\n').slice(2).filter(Boolean);
    expect(networks.map((line) => line.trim().split(':')[0])).toEqual(['lo']);
    const root = `/proc/${pid}/root`;
    expect(readdirSync(join(root, 'dev'))).toEqual(['urandom']);
    for (const file of ['config.capnp', 'function.js'])
      expect(existsSync(join(root, 'config', file))).toBeFalse();
    expect(readdirSync(join(root, 'egress'))).toEqual(['http']);
    const top = readdirSync(root);
    expect(top.filter((name) => /^(etc|proc|root|home|var|database)$/.test(name))).toEqual([]);
    expect(
      filesBelow(root, 6, ['lib', 'dev', 'config']).filter((text) => text.includes('the key of the service')),
    ).toEqual([]);
  });
});

/** The content of the small files in a folder. Anything that is not a readable file is left out. */
function filesBelow(folder: string, depth = 6, except: string[] = []): string[] {
  if (depth === 0) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (except.includes(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(path, depth - 1, except);
    return entry.isFile() && !/workerd$/.test(entry.name) ? [readFileSync(path, 'latin1')] : [];
  });
}
