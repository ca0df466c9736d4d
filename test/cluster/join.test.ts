import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { parseEnvFile } from '../../server/commands/env-file.ts';
import { makeJoinToken, readJoinToken } from '../../server/platform/cluster/join-token.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { takePorts } from '../support/ports.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A new machine joins a cluster with a token. */

const SECRET = 'a secret with "quotes", a $dollar and `more` of it';
let cluster: DatabaseCluster;
let shell: Shell;
let postgres: Client;
let joined: TestServer | undefined;
/** The settings of the first node, as its operator has them in a file. */
let settings: Record<string, string>;

beforeAll(async () => {
  shell = openShell();
  const shared = { QUIRE_SECRET: SECRET, QUIRE_CLUSTER_TLS: 'on' };
  cluster = await startDatabaseCluster(1, shared);
  const [node] = cluster.nodes as [Node];
  const secretFile = join(shell.folder, 's3-key');
  const { S3_SECRET_ACCESS_KEY: key, ...s3 } = cluster.s3.settings as Record<string, string>;
  writeFileSync(secretFile, `${key}\n`);
  settings = {
    ...{ PORT: String(node.port), QUIRE_BASE_URL: `http://localhost:${node.port}` },
    ...{ ...shared, ...s3, S3_SECRET_ACCESS_KEY_FILE: secretFile, DATABASE_URL: cluster.databaseUrl },
    ...{ REDIS_URL: cluster.redisUrl, QUIRE_DATA: node.dataFolder, QUIRE_CLUSTER_SHARDS: '2' },
    QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${node.clusterPort}`,
  };
  postgres = new Client(cluster.databaseUrl);
  await postgres.connect();
}, 120_000);
afterAll(async () => {
  await postgres?.end();
  await joined?.kill();
  await Promise.all([cluster?.stop(), shell?.stop()]);
});

async function makeToken(): Promise<string> {
  const { token, expiresAt } = await shell.json(['cluster', 'token'], { env: settings });
  expect(Date.parse(expiresAt) - Date.now()).toBeWithin(3_500_000, 3_700_000);
  return token;
}

const joinWith = (token: string, ...more: string[]) =>
  shell.run(['cluster', 'join', token, '--address', `127.0.0.1:${takePorts(3)}`, ...more]);

test('a machine joins with a token, and its node reaches the databases of the cluster', async () => {
  const [first] = cluster.nodes as [Node];
  const slug = await cluster.withTable(first);
  expect((await cluster.call(first, slug, { body: { sql: 'insert into t values (1)' } })).status).toBe(200);

  const path = join(shell.folder, 'new.env');
  writeFileSync(path, 'KEEP=this');
  const refused = await joinWith(await makeToken(), '--env-file', path);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('--force')]);
  expect(readFileSync(path, 'utf8')).toBe('KEEP=this');

  const done = await joinWith(await makeToken(), '--env-file', path, '--host', '127.0.0.1', '--force');
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const written = parseEnvFile(readFileSync(path, 'utf8'), path);
  const { S3_SECRET_ACCESS_KEY_FILE: _file, QUIRE_CLUSTER_ADDRESS: _address, ...same } = settings;
  expect(written).toEqual({
    ...same,
    S3_SECRET_ACCESS_KEY: (cluster.s3.settings as Record<string, string>).S3_SECRET_ACCESS_KEY ?? '',
    QUIRE_HOST: '127.0.0.1',
    QUIRE_CLUSTER_ADDRESS: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  });

  // On a machine of its own, the data folder and the port could be the same.
  const { QUIRE_DATA: _data, PORT: _port, ...rest } = written;
  joined = await startServer({ settings: { ...rest, QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' } });
  const second = { ...joined, clusterPort: 0 };
  expect((await cluster.call(second, slug, { body: { sql: 'select a from t' } })).body).toEqual([{ a: 1 }]);
  const other = await cluster.withTable(second);
  expect((await cluster.call(first, other, { body: { sql: 'select a from t' } })).status).toBe(200);
}, 120_000);

test('a token that was used, has expired or was changed is refused', async () => {
  const used = await makeToken();
  expect((await joinWith(used, '--env-file', 'used.env')).code).toBe(0);
  const again = await joinWith(used, '--env-file', 'again.env');
  expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('was already used')]);
  const expired = await makeToken();
  await postgres.query('update cluster_joins set expires_at = 1 where used_at is null');
  const late = await joinWith(expired, '--env-file', 'again.env');
  expect([late.code, late.stderr]).toEqual([4, expect.stringContaining('has expired')]);

  const token = await makeToken();
  for (let at = 0; at < token.length; at += 7) {
    const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    expect(readJoinToken(changed)).toBeUndefined();
  }
  const changed = await joinWith(`${token.slice(0, 20)}${token[20] === 'x' ? 'y' : 'x'}${token.slice(21)}`);
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('not a whole join token')]);
  // A key that somebody else made, for the right address.
  const { text } = makeJoinToken(settings.QUIRE_BASE_URL ?? '');
  const forged = await joinWith(text, '--env-file', 'again.env');
  expect([forged.code, forged.stderr]).toEqual([4, expect.stringContaining('does not know')]);
  // Refused attempts have neither written a file nor used up the token.
  expect(existsSync(join(shell.folder, 'again.env'))).toBeFalse();
  expect((await joinWith(token, '--env-file', 'again.env')).code).toBe(0);
}, 120_000);

test('of machines that use one token at the same time, one gets the settings', async () => {
  const token = await makeToken();
  const files = ['first.env', 'second.env'];
  const both = await Promise.all(files.map((file) => joinWith(token, '--env-file', file)));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 5]);
  expect(both.map(({ stderr }) => stderr).join('')).toContain('was already used');
  // The one that was refused has left no file.
  expect(files.map((file) => existsSync(join(shell.folder, file)))).toEqual(
    both.map(({ code }) => code === 0),
  );

  const lookup = readJoinToken(await makeToken())?.lookup;
  const asked = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const response = await fetch(`${settings.QUIRE_BASE_URL}/api/cluster/join`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ lookup }),
      });
      return { status: response.status, text: await response.text() };
    }),
  );
  expect(asked.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  expect(asked.filter(({ text }) => text.includes('sealed'))).toHaveLength(1);
}, 120_000);

test('the settings are not in the database or on the way, and only the token opens them', async () => {
  const text = await makeToken();
  const { rows } = await postgres.query(
    'select * from cluster_joins where used_at is null and expires_at > 1',
  );
  expect(rows).toHaveLength(1);
  const token = readJoinToken(text);
  if (!token) throw new Error('the token cannot be read');
  const response = await fetch(`${settings.QUIRE_BASE_URL}/api/cluster/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lookup: token.lookup }),
  });
  const body = await response.text();
  for (const seen of [JSON.stringify(rows), token.lookup, body])
    for (const secret of [SECRET, cluster.databaseUrl, text, text.slice(8, 48)])
      expect(seen).not.toContain(secret);
  expect(JSON.stringify(rows)).not.toContain(token.lookup);
  const { sealed } = JSON.parse(body);
  expect(token.open(sealed)).toMatchObject({ DATABASE_URL: cluster.databaseUrl, QUIRE_SECRET: SECRET });
  expect(() => makeJoinToken(token.baseUrl).open(sealed)).toThrow();
  const left = await postgres.query('select sealed from cluster_joins where used_at is not null');
  expect(new Set(left.rows.map(({ sealed }) => sealed))).toEqual(new Set(['']));
}, 120_000);

test('only nodes of a cluster make tokens', async () => {
  const made = await shell.run(['cluster', 'token'], { env: { QUIRE_DATA: shell.folder } });
  expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('QUIRE_CLUSTER_ADDRESS is not set')]);
});
