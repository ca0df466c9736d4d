import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { startLyingProvider } from '../support/accounts/lying-provider.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startRedis } from '../support/engines/redis.ts';
import { startS3 } from '../support/engines/s3.ts';
import { freePort, startServer } from '../support/server.ts';

let shell: Shell;
beforeAll(() => {
  shell = openShell();
});
afterAll(() => shell.stop());

interface Report {
  ok: boolean;
  checks: Array<{ name: string; status: string; message: string; todo?: string }>;
}

async function examine(
  env: Record<string, string>,
): Promise<{ code: number; report: Report; of(name: string): Report['checks'][number] | undefined }> {
  const done = await shell.run(['doctor', '--json'], { env });
  const report = done.json() as Report;
  return { code: done.code, report, of: (name) => report.checks.find((check) => check.name === name) };
}

test('finds a running server, and does not disturb it', async () => {
  const server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  try {
    const { code, report, of } = await examine({ PORT: String(server.port), QUIRE_DATA: server.dataFolder });
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
    expect(of('port')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(`Quire ${packageJson.version} is running`),
    });
    expect(of('base url')?.status).toBe('ok');
    expect(of('functions')?.message).toContain('workerd');
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test('reports problems with what to do, and with its exit code', async () => {
  const port = await freePort();
  const other = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => other.listen(port, () => resolve()));
  try {
    const { code, of } = await examine({
      PORT: String(port),
      QUIRE_DATA: '/proc/nowhere',
      DATABASE_URL: 'postgres://quire:secret-word@127.0.0.1:1/quire',
      REDIS_URL: 'redis://quire:secret-word@127.0.0.1:1',
    });
    expect(code).toBe(1);
    for (const name of ['port', 'data folder', 'postgresql', 'redis']) {
      expect(of(name)).toMatchObject({ status: 'fail', todo: expect.any(String) });
      expect(JSON.stringify(of(name))).not.toContain('secret-word');
    }
  } finally {
    other.close();
  }
});

test('warns about a secret file that everybody can read, and takes its secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-doctor-'));
  try {
    const path = join(folder, 'redis-url');
    writeFileSync(path, 'redis://quire:secret-word@127.0.0.1:1\n', { mode: 0o644 });
    const settings = { PORT: String(await freePort()), REDIS_URL_FILE: path };
    const { of, report } = await examine(settings);
    expect(of('secret files')).toMatchObject({ status: 'warn', message: expect.stringContaining(path) });
    expect(of('redis')?.status).toBe('fail');
    expect(of('settings')?.status).toBe('ok');
    expect(JSON.stringify(report)).not.toContain('secret-word');
    chmodSync(path, 0o640);
    expect((await examine(settings)).of('secret files')?.status).toBe('ok');
    expect((await examine({ ...settings, REDIS_URL_FILE: '' })).of('secret files')).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('shows the version of a Redis that responds', async () => {
  const redis = await startRedis();
  try {
    const { of } = await examine({ PORT: String(await freePort()), REDIS_URL: redis.url });
    expect(of('redis')).toMatchObject({ status: 'ok', message: expect.stringMatching(/^Redis \d/) });
  } finally {
    await redis.stop();
  }
});

test('names a misspelt setting, as a warning', async () => {
  const { code, stdout } = await shell.run(['doctor'], { env: { QUIRE_SANDBOXX: 'off' } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^warn {2}settings .*QUIRE_SANDBOXX.*Did you mean QUIRE_SANDBOX\?/m);
});

test('names all invalid settings, and still checks everything else', async () => {
  const { code, stdout } = await shell.run(['doctor'], { env: { PORT: 'x', QUIRE_SANDBOX: 'y' } });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {2}settings .*PORT.*QUIRE_SANDBOX/m);
  expect(stdout).toMatch(/^ok {4}bun/m);
});

test('tests a bucket, and does not show its secret', async () => {
  const s3 = await startS3();
  try {
    const good = await examine(s3.settings);
    expect(good.of('s3')).toMatchObject({ status: 'ok', message: expect.stringContaining(s3.bucket) });
    const bad = await examine({ ...s3.settings, S3_SECRET_ACCESS_KEY: 'another-secret' });
    expect(bad.code).toBe(1);
    expect(bad.of('s3')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('SignatureDoesNotMatch'),
      todo: expect.stringContaining('S3_'),
    });
    expect(JSON.stringify(bad.report)).not.toContain('another-secret');
  } finally {
    await s3.stop();
  }
});

test('asks the provider of single sign-on, and says what is wrong with it', async () => {
  const provider = startLyingProvider();
  try {
    const good = await examine(provider.environment);
    expect(good.of('single sign-on')).toEqual({
      name: 'single sign-on',
      status: 'ok',
      message: `127.0.0.1 responds at ${provider.issuer}`,
    });
    provider.lies = { metadata: { issuer: 'https://other.example.com' } };
    const wrong = await examine(provider.environment);
    expect(wrong.of('single sign-on')).toMatchObject({
      status: 'fail',
      todo: expect.stringContaining('ISSUER'),
    });
    expect(wrong.of('single sign-on')?.message).toContain('does not match the expected issuer');
  } finally {
    provider.stop();
  }
});
