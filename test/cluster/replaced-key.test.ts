import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readConfig } from '../../server/platform/config/config.ts';
import { assertTerms } from '../../server/runtime/databases/cluster/terms.ts';
import { replaceTerms } from '../../server/runtime/databases/index.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';

/** Which nodes can join a cluster while its key is replaced. */

const OLD = 'the old key, which somebody has seen';
const NEW = 'the new key, which nobody has seen yet';
let s3: TestS3;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3?.stop());

function clusterWith(keys: Record<string, string>) {
  const { cluster } = readConfig({
    ...s3.settings,
    DATABASE_URL: 'postgres://quire:word@127.0.0.1/quire',
    REDIS_URL: 'redis://127.0.0.1',
    QUIRE_CLUSTER_ADDRESS: '127.0.0.1:7000',
    ...keys,
  });
  if (!cluster) throw new Error('these are no settings of a cluster');
  return cluster;
}

test('nodes with both keys join before and after, and each key alone only on its side', async () => {
  const old = clusterWith({ QUIRE_SECRET: OLD });
  const both = clusterWith({ QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: OLD });
  const later = clusterWith({ QUIRE_SECRET: NEW });
  // Database hosts of all nodes speak with the same key until the old one is gone.
  expect(both.secret).toEqual(old.secret);
  const lines: string[] = [];
  const join = (cluster: typeof old) => assertTerms(cluster, (line) => void lines.push(line));
  await join(old);
  await join(both);
  await expect(join(later)).rejects.toThrow('QUIRE_SECRET differs');
  await replaceTerms(both);
  await join(both);
  await join(later);
  await expect(join(old)).rejects.toThrow('QUIRE_SECRET differs');
  expect(lines).toEqual([]);
});
