import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { access, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { saySize } from '../../cli/terminal/amounts.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { IS_COMPILED } from '../lib/modules.ts';
import { checkS3 } from '../platform/blobs/index.ts';
import type { Config } from '../platform/config/index.ts';
import { checkRedis } from '../platform/coordination/redis/index.ts';
import { checkServer } from '../platform/mail/index.ts';
import { CLOCK_WARN_MS, CLOCK_WRONG_MS, describeClock } from '../platform/operations/health/index.ts';
import { openDestination, type ReplicaState, STATE_FILE, sayPlace } from '../platform/replica/index.ts';
import { checkPostgres } from '../platform/storage/index.ts';
import { checkProvider } from '../product/accounts/index.ts';
import { findChromium } from '../runtime/browser/index.ts';
import { checkRuntime, hasCertificates } from '../runtime/workerd/index.ts';
import { ownAddress } from './own-address.ts';

/** The result of one check. */
export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** How to fix the problem. */
  todo?: string;
  /** True for a failure with which the server starts, although something does not work. */
  canStart?: boolean;
}
export type Check = (config: Config) => Promise<Finding | undefined>;

const LOOK_MS = 5_000;
const LITTLE_BYTES = 1024 ** 3;
const TOO_LITTLE_BYTES = 100 * 1024 ** 2;
const Health = z.looseObject({ status: z.string(), version: z.string() });

const ok = (message: string): Finding => ({ status: 'ok', message });
const warn = (message: string, todo: string): Finding => ({ status: 'warn', message, todo });
const fail = (message: string, todo: string): Finding => ({ status: 'fail', message, todo });
const failRunning = (message: string, todo: string): Finding => ({ ...fail(message, todo), canStart: true });

/** All checks that need the settings, by the name in the output. */
export const CHECKS: Record<string, Check> = {
  'node.js': async () => {
    if (IS_COMPILED) return undefined;
    const node = Bun.which('node');
    const version = node ? Bun.spawnSync([node, '--version']).stdout.toString().trim() : '';
    if (!version)
      return warn('not found', 'Install Node.js 20 or newer: npm needs it to install and upgrade Quire.');
    const major = Number(/^v(\d+)/.exec(version)?.[1]);
    return major >= 20 ? ok(version) : fail(version, 'Install Node.js 20 or newer.');
  },
  bun: async () => ok(Bun.version),
  functions: async ({ sandbox }) => {
    try {
      const { version, levels } = await checkRuntime(sandbox);
      const unboxed = Object.entries(levels).filter(([, level]) => level !== 'bwrap');
      if (unboxed.length === 0)
        return ok(`${version}; functions, databases and egress run in bubblewrap sandboxes`);
      const known = {
        bwrap: '',
        setpriv: 'separate user, but no sandbox',
        plain: 'separate process, but no sandbox',
      };
      const message = `${version}; ${unboxed.map(([kind, level]) => `${kind}: ${known[level]}`).join('; ')}`;
      return warn(message, 'Install bubblewrap (apt-get install bubblewrap) and allow user namespaces.');
    } catch (error) {
      const todo = IS_COMPILED ? 'Unpack the archive again.' : 'Reinstall the packages: npm ci.';
      return fail((error as Error).message, `Quire needs Linux on x86-64 or ARM64. ${todo}`);
    }
  },
  certificates: async () =>
    hasCertificates()
      ? ok('found')
      : warn(
          'there are no CA certificates: functions and page checks cannot fetch https: URLs',
          'Install them (apt-get install ca-certificates), and restart the server.',
        ),
  'page checks': async ({ chromium }) => {
    try {
      return ok(`with ${findChromium(chromium)}`);
    } catch (error) {
      if (chromium === 'off') return ok('turned off (QUIRE_CHROMIUM=off)');
      return warn('not available', (error as Error).message);
    }
  },
  'data folder': async ({ dataFolder }) => {
    const folder = await nearestExisting(dataFolder);
    // Write for real: permission bits say that root can write anywhere, even on a read-only file system.
    const tried = await mkdtemp(join(folder, '.quire-doctor-')).catch(() => undefined);
    if (tried) await rmdir(tried);
    if (!tried)
      return fail(`cannot write to ${folder}`, 'Make the user who runs Quire its owner, or set QUIRE_DATA.');
    return ok(folder === dataFolder ? dataFolder : `${dataFolder} (created at the first start)`);
  },
  'secret files': async ({ secretFiles }) => {
    if (secretFiles.length === 0) return undefined;
    const modes = await Promise.all(
      secretFiles.map(async (path) => ({ path, mode: (await stat(path)).mode })),
    );
    const open = modes.filter(({ mode }) => mode & 0o004).map(({ path }) => path);
    if (open.length === 0) return ok('only the server and its group can read them');
    return warn(
      `everybody on this machine can read ${open.join(', ')}`,
      `If other users log in here: chmod 0640 ${open.join(' ')}.`,
    );
  },
  'free disk': async ({ dataFolder }) => {
    const { bavail, bsize } = await statfs(await nearestExisting(dataFolder));
    const free = bavail * bsize;
    const message = saySize(free);
    if (free < TOO_LITTLE_BYTES)
      return failRunning(message, 'Free up space: all writes fail when the disk is full.');
    return free < LITTLE_BYTES
      ? warn(message, 'Free up space soon: all writes fail when the disk is full.')
      : ok(message);
  },
  port: async ({ port, hostname }) => {
    const running = await readHealth(ownAddress({ hostname, port }));
    if (running === packageJson.version) return ok(`${port}: Quire ${running} is running here`);
    if (running)
      return warn(
        `${port}: Quire ${running} is running here, but this is ${packageJson.version}`,
        'Restart the server.',
      );
    if (await canListen(port, hostname)) return ok(`${port} is free; Quire is not running`);
    return fail(`${port} is in use by another program`, 'Stop that program, or set PORT to another port.');
  },
  'base url': async ({ baseUrl }) => {
    const running = await readHealth(baseUrl);
    if (running) return ok(`Quire ${running} responds at ${baseUrl}`);
    return warn(
      `Quire does not respond at ${baseUrl}`,
      'Start the server. If it is running, check QUIRE_BASE_URL, DNS and the proxy.',
    );
  },
  postgresql: async ({ databaseUrl }) => {
    if (!databaseUrl) return undefined;
    try {
      return ok((await checkPostgres(databaseUrl)).version);
    } catch (error) {
      return fail(
        `does not respond: ${(error as Error).message}`,
        'Check DATABASE_URL, and that PostgreSQL is running.',
      );
    }
  },
  clock: async ({ databaseUrl }) => {
    // A PostgreSQL that does not respond is reported above.
    const found = databaseUrl ? await checkPostgres(databaseUrl).catch(() => undefined) : undefined;
    if (!found) return undefined;
    const { clockDifferenceMs: differenceMs } = found;
    if (Math.abs(differenceMs) < CLOCK_WARN_MS) return ok("agrees with PostgreSQL's");
    const todo = 'Synchronize both machines with NTP, for example with systemd-timesyncd or chrony.';
    const isWrong = Math.abs(differenceMs) >= CLOCK_WRONG_MS;
    return isWrong
      ? fail(describeClock(differenceMs), `${todo} Until then, this node reports that it is not ready.`)
      : warn(describeClock(differenceMs), todo);
  },
  redis: async ({ redisUrl }) => {
    if (!redisUrl) return undefined;
    try {
      return ok(await checkRedis(redisUrl));
    } catch (error) {
      return failRunning(
        `does not respond: ${(error as Error).message}`,
        'Check REDIS_URL, and that Redis is running. Until then, each node counts rate limits alone.',
      );
    }
  },
  s3: async ({ s3, cluster }) => {
    if (!s3) return undefined;
    try {
      await checkS3(s3, { conditions: cluster !== undefined });
      return ok(`can write to ${s3.bucket} at ${s3.endpoint ?? 'AWS'}`);
    } catch (error) {
      const { message, cause } = error as Error;
      // Nodes of a cluster keep the databases of functions in the bucket, and check it when they start.
      return (cluster ? fail : failRunning)(
        `${s3.bucket}: ${cause instanceof Error ? cause.message : message}`,
        'Check the S3_ settings, the permissions of the key, and that the bucket exists.',
      );
    }
  },
  replica: async ({ replica, dataFolder }) => {
    if (!replica) return undefined;
    const name = sayPlace(replica);
    try {
      const destination = openDestination(replica);
      const key = `probe-${randomUUID()}`;
      await destination.create(key, Buffer.from('probe'));
      await destination.delete(key);
    } catch (error) {
      return failRunning(
        `${name}: ${(error as Error).message}`,
        'Check QUIRE_REPLICA. Until then, changes are only on this machine.',
      );
    }
    const state = await Bun.file(join(dataFolder, STATE_FILE))
      .json()
      .catch(() => undefined);
    const problem = (state as ReplicaState | undefined)?.problem;
    return problem
      ? failRunning(problem, 'Run "quire replica status" to see what is behind.')
      : ok(`can write to ${name}`);
  },
  'single sign-on': async ({ oidc }) => {
    if (!oidc) return undefined;
    try {
      return ok(`${oidc.name} responds at ${await checkProvider(oidc)}`);
    } catch (error) {
      const { message, cause } = error as Error;
      return failRunning(
        `${oidc.issuer}: ${cause instanceof Error ? cause.message : message}`,
        'Check QUIRE_OIDC_ISSUER, and that the provider is running. Until then, people must log in another way.',
      );
    }
  },
  mail: async ({ mail }) => {
    if (!mail) return undefined;
    try {
      const { server, isEncrypted, hasLogin } = await checkServer(mail);
      const how = `${isEncrypted ? 'with TLS' : 'without TLS'}${hasLogin ? ', and accepts the login' : ''}`;
      return ok(`${server} responds ${how}`);
    } catch (error) {
      return failRunning(
        (error as Error).message,
        'Check QUIRE_SMTP_URL, and that the mail server is running. Until then, mail waits.',
      );
    }
  },
  'host names': async ({ pagesHost, isolation }) => {
    if (!pagesHost) return ok(`not needed for pages (isolation ${isolation})`);
    const name = `p1.${pagesHost.replace(/:\d+$/, '')}`;
    const found = await lookup(name).catch(() => undefined);
    if (found) return ok(`${name} resolves to ${found.address}`);
    const todo = name.endsWith('.localhost')
      ? 'Chromium and Firefox resolve *.localhost themselves. For other programs, add names to /etc/hosts.'
      : `Add a DNS wildcard record *.${pagesHost.replace(/:\d+$/, '')}.`;
    return warn(`${name} does not resolve on this machine`, todo);
  },
};

/** The version of the Quire at a URL; undefined if there is none. */
async function readHealth(baseUrl: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, {
      signal: AbortSignal.timeout(LOOK_MS),
      redirect: 'manual',
    });
    return Health.parse(await response.json()).version;
  } catch {
    return undefined;
  }
}

function canListen(port: number, hostname: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, ...(hostname && { host: hostname }) }, () => probe.close(() => resolve(true)));
  });
}

async function nearestExisting(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestExisting(dirname(path));
}
