import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainPath } from '../support/cli/archive.ts';
import { environment } from '../support/environment.ts';
import { rounds } from '../support/faults/rounds.ts';
import { freePort, startServer, type TestServer } from '../support/server.ts';

const ROOT = join(import.meta.dir, '../..');

let folder: string;
let dataFolder: string;
let running: TestServer[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-starting-'));
  dataFolder = join(folder, 'data');
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe('next to a running server', () => {
  let first: TestServer;
  beforeAll(async () => {
    dataFolder = mkdtempSync(join(tmpdir(), 'quire-running-'));
    first = await startServer({ dataFolder });
  }, 120_000);
  afterAll(async () => {
    await first?.kill();
    rmSync(first.dataFolder, { recursive: true, force: true });
  });

  test('a second server on the same data folder does not start, and names the folder', async () => {
    const second = await tryToStart({ QUIRE_DATA: first.dataFolder });
    expect(second.exitCode).toBe(1);
    expect(second.errors).toContain(first.dataFolder);
    expect(second.errors.trim().split('\n')).toHaveLength(1);
    expect((await fetch(`${first.baseUrl}/healthz`)).status).toBe(200);
  });

  test('a second server on the same port exits with 1, and names the port', async () => {
    const { exitCode, errors } = await tryToStart({ QUIRE_DATA: dataFolder, PORT: String(first.port) });
    expect(exitCode).toBe(1);
    expect(errors).toContain(String(first.port));
  });

  test('a second server starts after the first was killed', async () => {
    for (let round = 0; round < rounds(1, 3); round++) {
      await first.kill();
      first = await startServer({ dataFolder: first.dataFolder });
    }
    expect((await fetch(`${first.baseUrl}/healthz`)).status).toBe(200);
  }, 120_000);
});

describe('a first start that is killed', () => {
  test('can be repeated, wherever it was killed while it created its database', async () => {
    const log = join(dataFolder, 'quire.db-wal');
    const whole = await start();
    const { size } = statSync(log);
    await whole.kill();
    expect(size).toBeGreaterThan(0);

    for (const share of rounds([0.3], [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9])) {
      rmSync(dataFolder, { recursive: true });
      const child = spawnServer({ QUIRE_DATA: dataFolder });
      await until(() => existsSync(log) && statSync(log).size >= share * size);
      child.kill('SIGKILL');
      await child.exited;
      const again = await start();
      expect((await fetch(`${again.baseUrl}/healthz`)).status).toBe(200);
      await again.kill();
    }
  }, 480_000);
});

describe('wrong settings', () => {
  const WRONG: Record<string, string> = {
    PORT: 'abc',
    QUIRE_BASE_URL: 'ftp://x',
    QUIRE_PAGES_HOST: 'not a host',
    QUIRE_FUNCTIONS_HOST: 'https://x',
    QUIRE_ISOLATION: 'none',
    QUIRE_REGISTRATION: 'maybe',
    QUIRE_TRUSTED_PROXIES: 'foo',
    QUIRE_METRICS_ALLOW: 'everybody',
    QUIRE_DRAIN_SECONDS: '601',
    QUIRE_EGRESS_ALLOW: '10.0.0.0/99',
    QUIRE_SANDBOX: 'yes',
    QUIRE_LOG_LEVEL: 'loud',
    QUIRE_SECRET: 'short',
    QUIRE_QUOTA_PAGES: '-1',
    QUIRE_QUOTA_FUNCTIONS: '1.5',
    QUIRE_QUOTA_BYTES: '1 GB',
    QUIRE_LOGIN_FAILURES_PER_USERNAME: 'ten',
    QUIRE_LOGIN_FAILURES_PER_ADDRESS: '-5',
    QUIRE_REGISTRATIONS_PER_HOUR: 'NaN',
    QUIRE_FUNCTION_CALLS_PER_MINUTE: '-60',
    QUIRE_CREDITS_NEW_USER: 'many',
    QUIRE_AI_PROVIDER: 'oracle',
    QUIRE_AI_URL: 'nowhere',
    QUIRE_IMAGE_URL: 'file:///etc/passwd',
    QUIRE_IMAGE_SEARCH: 'books',
    QUIRE_IMAGE_SEARCH_URL: 'gopher://x',
    DATABASE_URL: 'mysql://x',
  };

  test('stop the start with one message that names all of them, and nothing is created', async () => {
    const { exitCode, errors, output } = await tryToStart({ QUIRE_DATA: dataFolder, ...WRONG });

    expect(exitCode).toBe(1);
    expect(output).toBe('');
    const named = errors.split('\n').flatMap((line) => /^ {2}([A-Z0-9_]+): \S/.exec(line)?.[1] ?? []);
    expect(named.sort()).toEqual(Object.keys(WRONG).sort());
    expect(errors).not.toContain('    at ');
    expect(existsSync(dataFolder)).toBeFalse();
  });

  test('that need a sandbox stop the start on a machine without bubblewrap', async () => {
    const PATH = plainPath(join(folder, 'bin'), ['bwrap']);
    const { exitCode, errors } = await tryToStart({ QUIRE_DATA: dataFolder, QUIRE_SANDBOX: 'require', PATH });
    expect(exitCode).toBe(1);
    expect(errors).toContain('QUIRE_SANDBOX=require needs bubblewrap');
  });

  test('that only conflict with each other are named too', async () => {
    const { exitCode, errors } = await tryToStart({
      QUIRE_DATA: dataFolder,
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_IMAGE_URL: 'http://127.0.0.1:1/',
      QUIRE_BASE_URL: 'http://192.0.2.1',
      QUIRE_ISOLATION: 'origin',
    });
    expect(exitCode).toBe(1);
    for (const name of ['QUIRE_AI_URL', 'QUIRE_AI_MODEL', 'QUIRE_IMAGE_MODEL', 'QUIRE_PAGES_HOST']) {
      expect(errors).toContain(`  ${name}: `);
    }
    expect(existsSync(dataFolder)).toBeFalse();
  });

  test('that contain a secret do not show it', async () => {
    const { exitCode, errors, output } = await tryToStart({
      QUIRE_DATA: dataFolder,
      QUIRE_SECRET: 'hush-hush',
      DATABASE_URL: 'mysql://me:hush-hush@x/y',
    });
    expect(exitCode).toBe(1);
    expect(errors + output).not.toContain('hush-hush');
  });
});

async function start(): Promise<TestServer> {
  const server = await startServer({ dataFolder });
  running.push(server);
  return server;
}

/** Runs a server that should end by itself. */
async function tryToStart(settings: Record<string, string>) {
  const child = spawnServer({ PORT: String(await freePort()), ...settings });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output, errors };
}

function spawnServer(settings: Record<string, string>) {
  return Bun.spawn([process.execPath, join(ROOT, 'bin/launch.ts'), 'serve'], {
    cwd: ROOT,
    env: { ...environment, PORT: '0', ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
}

/** Checks without a pause, because what it waits for lasts milliseconds. */
async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('timed out waiting');
    await Bun.sleep(0);
  }
}
