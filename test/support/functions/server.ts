import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestResponse } from '../http/call.ts';
import { type Account, type ClientOptions, call, register } from '../http/client.ts';
import { type ServerOptions, startServer, type TestServer, waitUntil } from '../server.ts';

/** A real server with an owner of functions, called over its socket. */
export interface FunctionServer extends TestServer {
  owner: Account;
  /** Deploys code and returns its slug. */
  deploy(code: string, fields?: Record<string, unknown>, as?: Account): Promise<string>;
  redeploy(slug: string, code: string): Promise<TestResponse>;
  /** Calls a function. */
  call(slug: string, options?: ClientOptions): Promise<TestResponse>;
  /** Runs one SQL statement on a function's database. */
  sql(slug: string, sql: string, params?: unknown[], as?: Account): Promise<TestResponse>;
  logs(slug: string, limit?: number): Promise<LogEntry[]>;
}

export interface LogEntry {
  kind: 'console' | 'exception' | 'call' | 'system';
  level: string;
  message: string;
  status: number | null;
}

/** What `quire` itself sets, and limits that only tests of limits should reach. */
const SETTINGS = {
  BUN_CONFIG_MAX_HTTP_REQUESTS: '65336',
  QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
  QUIRE_CELLS_PER_OWNER: '64',
  QUIRE_EGRESS_ALLOW: '127.0.0.1/32',
};

export async function startFunctionServer(
  options: ServerOptions & { owner?: Account } = {},
): Promise<FunctionServer> {
  const server = await startServer({ ...options, settings: { ...SETTINGS, ...options.settings } });
  const owner = options.owner ?? (await register(server, 'owner'));
  let deployed = 0;
  return {
    ...server,
    owner,
    async deploy(code, fields = {}, as = owner) {
      const slug = (fields.slug as string | undefined) ?? `${as.username}-${++deployed}`;
      const answer = await call(server, 'POST', '/api/functions', {
        token: as.token,
        body: { code, ...fields, slug },
      });
      if (answer.status !== 201)
        throw new Error(`deploying failed: ${answer.status} ${JSON.stringify(answer.body)}`);
      return slug;
    },
    redeploy: (slug, code) =>
      call(server, 'PATCH', `/api/functions/${slug}`, { token: owner.token, body: { code } }),
    call: (slug, callOptions) => call(server, 'POST', `/api/functions/${slug}`, callOptions),
    sql: (slug, sql, params, as = owner) =>
      call(server, 'POST', `/api/functions/${slug}/database`, {
        token: as.token,
        body: { sql, ...(params && { params }) },
        timeoutMs: 60_000,
      }),
    async logs(slug, limit = 1000) {
      const path = `/api/functions/${slug}/logs?limit=${limit}`;
      return (await call(server, 'GET', path, { token: owner.token })).body.logs;
    },
  };
}

/** The code of a function whose handler has this body. */
export function handler(body: string): string {
  return `export default { async fetch(request, env, ctx) { ${body} } };`;
}

export const HELLO = handler('return new Response("hello")');

/** Where a server stores the sockets and configurations of its helpers. */
export function runtimeFolder(server: { dataFolder: string }): string {
  const name = createHash('sha256').update(server.dataFolder).digest('hex').slice(0, 12);
  return join(tmpdir(), `quire-${name}`);
}

/** The helper processes of a server: those that name its runtime folder, or see it from a sandbox. */
export function helpers(server: { dataFolder: string }): Helper[] {
  const folder = runtimeFolder(server);
  const own = readNamespace('self');
  return (
    // Reading the mounts of every process of the machine would take most of the time of a test that waits for one.
    findBoxed()
      .map(({ name, command }) => ({ pid: Number(name), command, mounts: readMounts(name, own) }))
      .filter(({ command, mounts }) => command.includes(folder) || mounts.includes(`${basename(folder)}/`))
      .map(({ pid, command, mounts }) => {
        const place = command.includes(folder) ? command : mounts;
        const isBox = command.startsWith('bwrap');
        const host = /(databases-\d+)-/.exec(place)?.[1];
        const cell = /(cell-\d+)-/.exec(place)?.[1];
        if (isBox) return { pid, kind: 'box', name: cell ?? host ?? 'egress' };
        if (cell) return { pid, kind: 'cell', name: cell };
        return host ? { pid, kind: 'database host', name: host } : { pid, kind: 'egress', name: 'egress' };
      })
  );
}

/** Waits for a helper of a kind whose process is not in `killed`, kills it and adds it. */
export async function killHelper(
  server: { dataFolder: string },
  kind: Helper['kind'],
  killed = new Set<number>(),
): Promise<void> {
  await waitUntil(async () => {
    const victim = helpers(server).find((helper) => helper.kind === kind && !killed.has(helper.pid));
    if (!victim) return false;
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch (error) {
      // It ended by itself just now.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
    killed.add(victim.pid);
    return true;
  });
}

/** When processes that are no helpers were first seen, by pid, in looks without a long pause between them. */
const others = new Map<string, number>();
let lastLook = 0;
/** No process ends and leaves its pid to another within this time: the kernel gives out all others first. */
const PAUSE_MS = 1_000;
/** A process that has not become a helper by then is none. */
const SETTLED_MS = 5_000;

/** Every process that may be a helper. A test that waits looks often, and reads only what is new. */
function findBoxed(): Array<{ name: string; command: string }> {
  const now = performance.now();
  if (now - lastLook > PAUSE_MS) others.clear();
  lastLook = now;
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const present = new Set(names);
  for (const name of others.keys()) if (!present.has(name)) others.delete(name);
  return names
    .filter((name) => now - (others.get(name) ?? now) < SETTLED_MS)
    .map((name) => ({ name, command: readProc(name, 'cmdline') }))
    .filter(({ name, command }) => {
      const isBoxed = /bwrap|config\.capnp/.test(command);
      if (isBoxed) others.delete(name);
      else if (!others.has(name)) others.set(name, now);
      return isBoxed;
    });
}

export interface Helper {
  pid: number;
  kind: 'cell' | 'box' | 'database host' | 'egress';
  /** The cell or host that a process is, or is the sandbox of. */
  name: string;
}

/** The mounts of a sandboxed process. Those of other processes say nothing about it. */
function readMounts(pid: string, ownNamespace: string): string {
  return readNamespace(pid) === ownNamespace ? '' : readProc(pid, 'mountinfo');
}

function readNamespace(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return '';
  }
}

/** What the kernel knows about a process, or nothing if it is gone. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
