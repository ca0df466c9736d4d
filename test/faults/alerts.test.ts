import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { startMigratedDatabase } from '../support/engines/process-postgres.ts';
import { startRedis } from '../support/engines/redis.ts';
import { startS3 } from '../support/engines/s3.ts';
import { makeSmallDisk, startServerOn } from '../support/faults/disk.ts';
import { hang } from '../support/faults/hangs.ts';
import { startWire } from '../support/faults/proxy.ts';
import { expectAlert } from '../support/http/alerts.ts';
import { call, publish, register, type ServerAddress } from '../support/http/client.ts';
import { readMetrics } from '../support/http/metrics.ts';
import { takePorts } from '../support/ports.ts';
import { startServer, waitUntil } from '../support/server.ts';

/** Each alert about a machine fires with what a server says under the fault that it is about. */

const AHEAD = join(import.meta.dir, '../support/cluster/clock-ahead.ts');
const stops: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
}, 60_000);

async function scrape(server: ServerAddress): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

async function scrapeUntil(server: ServerAddress, isSo: (figures: Map<string, number>) => boolean) {
  let text = '';
  await waitUntil(async () => {
    text = await scrape(server);
    return isSo(readMetrics(text));
  });
  return text;
}

const unavailable = (part: string) => (figures: Map<string, number>) =>
  figures.get(`quire_part_unavailable{part="${part}"}`) === 1;

test('a server that was killed, and one that is started again and again', async () => {
  const server = await startServer();
  const well = { text: await scrape(server), minutes: 30 };
  await server.kill();
  const dead = await fetch(`http://127.0.0.1:${server.port}/metrics`).then(
    (response) => response.text(),
    () => undefined,
  );
  await expectAlert('QuireDown', [well, { text: dead, minutes: 10 }]);
  // Prometheus tells starts apart by the second in which they happened.
  const starts = new Map<number | undefined, string>();
  while (starts.size < 4) {
    const again = await startServer({ port: server.port });
    const text = await scrape(again);
    starts.set(readMetrics(text).get('process_start_time_seconds'), text);
    await again.kill();
  }
  await expectAlert('QuireRestarts', [well, ...[...starts.values()].map((text) => ({ text, minutes: 5 }))]);
}, 120_000);

test('a server that stands still for a while', async () => {
  const server = await startServer();
  stops.push(() => server.kill());
  const well = { text: await scrape(server), minutes: 30 };
  await hang(() => [server.pid], 3);
  const text = await scrapeUntil(
    server,
    (figures) => (figures.get('nodejs_eventloop_lag_max_seconds') ?? 0) > 1,
  );
  await expectAlert('QuireSlow', [well, { text, minutes: 30 }]);
}, 60_000);

test('a disk that fills up, and one that is full', async () => {
  const disk = await makeSmallDisk(192);
  const server = await startServerOn(disk);
  stops.push(disk.remove, () => server.kill());
  const well = { text: await scrape(server), minutes: 30 };
  const free = readMetrics(well.text).get('quire_disk_free_bytes') ?? 0;
  const filler = `head -c ${Math.round(free - 0.09 * 192 * 1024 ** 2)} /dev/zero >"${disk.folder}/filler"`;
  await Bun.spawn([...disk.within, 'sh', '-c', filler]).exited;
  const filling = await scrapeUntil(
    server,
    (figures) => (figures.get('quire_disk_free_bytes') ?? 0) < 0.095 * 192 * 1024 ** 2,
  );
  await expectAlert('QuireDiskFilling', [well, { text: filling, minutes: 30 }]);
  await disk.fill();
  const full = await scrapeUntil(server, (figures) => figures.get('quire_disk_low') === 1);
  await expectAlert('QuireDiskFull', [well, { text: full, minutes: 2 }]);
}, 120_000);

test('PostgreSQL, Redis and a bucket that are unavailable, and requests that fail because of that', async () => {
  const [database, redis, s3] = await Promise.all([startMigratedDatabase(), startRedis(), startS3()]);
  const url = new URL(database.url);
  const wire = await startWire({ port: Number(url.port) });
  url.port = String(wire.port);
  const settings = { DATABASE_URL: url.href, REDIS_URL: redis.url, ...s3.settings };
  const server = await startServer({ settings });
  stops.push(database.stop, redis.stop, s3.stop, wire.stop, () => server.kill());
  const { token } = await register(server, 'ada');
  const page = await publish(server, token);
  const text = await scrapeUntil(server, (figures) => figures.get('quire_redis_up') === 1);
  const well = { text, minutes: 30 };

  redis.freeze();
  const noRedis = { text: await scrapeUntil(server, unavailable('redis')), minutes: 10 };
  redis.thaw();
  await expectAlert('QuirePartUnavailable', [well, noRedis]);
  s3.freeze();
  const noBucket = { text: await scrapeUntil(server, unavailable('bucket')), minutes: 10 };
  s3.thaw();
  await expectAlert('QuirePartUnavailable', [well, noBucket]);

  await wire.cut();
  const noDatabase = await scrapeUntil(server, unavailable('database'));
  await expectAlert('QuirePartUnavailable', [well, { text: noDatabase, minutes: 10 }]);
  const errors: { text: string; minutes: number }[] = [];
  while (errors.length < 5) {
    expect((await call(server, 'GET', `/api/pages/${page.id}`, { token })).status).toBe(503);
    errors.push({ text: await scrape(server), minutes: 3 });
  }
  await expectAlert('QuireErrors', [well, ...errors]);
}, 180_000);

test('databases of functions that end, because their bucket hangs', async () => {
  const [database, redis, s3] = await Promise.all([startMigratedDatabase(), startRedis(), startS3()]);
  const settings = {
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, ...s3.settings },
    ...{ QUIRE_CLUSTER_SHARDS: '1', QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${takePorts(1)}` },
    QUIRE_SECRET: 'a secret that all nodes would share',
  };
  const server = await startServer({ settings });
  stops.push(database.stop, redis.stop, s3.stop, () => server.kill());
  const isWell = (figures: Map<string, number>) =>
    figures.get('quire_redis_up') === 1 && figures.get('quire_database_hosts') === 1;
  const well = { text: await scrapeUntil(server, isWell), minutes: 30 };
  s3.freeze();
  const text = await scrapeUntil(
    server,
    (figures) => unavailable('databases')(figures) && figures.get('quire_database_hosts') === 0,
  );
  s3.thaw();
  const ended = { text, minutes: 10 };
  await expectAlert('QuirePartUnavailable', [well, ended], { labels: 'part="databases"' });
  // By the hosts that are missing, not by how often they were started.
  const figures = readMetrics(text);
  expect(figures.get('quire_database_hosts_wanted')).toBe(1);
  expect(figures.get('quire_database_host_restarts_total')).toBeLessThan(3);
  await expectAlert('QuireDatabaseHosts', [well, ended]);
}, 180_000);

test('a node whose clock is wrong', async () => {
  const database = await startMigratedDatabase();
  const redis = await startRedis();
  const settings = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const right = await startServer({ settings });
  const ahead = await startServer({ settings, preload: AHEAD });
  stops.push(
    database.stop,
    redis.stop,
    () => right.kill(),
    () => ahead.kill(),
  );
  const ready = (figures: Map<string, number>) => figures.get('quire_redis_up') === 1;
  const well = { text: await scrapeUntil(right, ready), minutes: 30 };
  const wrong = await scrapeUntil(
    ahead,
    (figures) => ready(figures) && (figures.get('quire_clock_difference_seconds') ?? 0) > 200,
  );
  await expectAlert('QuireClockOff', [well, { text: wrong, minutes: 10 }]);
  await expectAlert('QuireNotReady', [well, { text: wrong, minutes: 10 }]);
}, 120_000);

test('a replica whose bucket hangs', async () => {
  const s3 = await startS3();
  const { S3_BUCKET: _, ...access } = s3.settings;
  const settings = { ...access, QUIRE_REPLICA: 's3://quire-test/machines/alerts' };
  const server = await startServer({ settings });
  stops.push(s3.stop, () => server.kill());
  const age = (figures: Map<string, number>) => figures.get('quire_replica_age_seconds') ?? Number.NaN;
  const well = { text: await scrapeUntil(server, (figures) => age(figures) >= 0), minutes: 30 };
  s3.freeze();
  await register(server, 'ada');
  const behind = await scrapeUntil(server, (figures) => age(figures) > 2);
  // Prometheus reads it for as long as the bucket hangs, while it gets older.
  const older = (seconds: number) =>
    behind.replace(/^quire_replica_age_seconds .*$/m, `quire_replica_age_seconds ${seconds}`);
  const later = Array.from({ length: 20 }, (_, minute) => ({ text: older(60 * minute), minutes: 1 }));
  await expectAlert('QuireReplicaLate', [well, ...later]);
  s3.thaw();
}, 120_000);
