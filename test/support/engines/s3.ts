import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../server.ts';
import { type Engine, type EngineHost, startEngine } from './engine.ts';

/** A bucket for a test, with a server in its own process. Acknowledged objects survive a restart. */
export interface TestS3 extends Engine {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The same as settings of Quire. */
  settings: Record<string, string>;
}

const IDENTITY = {
  bucket: 'quire-test',
  region: 'us-east-1',
  accessKeyId: 'AKIATESTTESTTEST',
  secretAccessKey: 'secret/for+tests',
};

/** Starts our own server, on loopback unless a place is given. */
export async function startS3(place: Partial<EngineHost> = {}): Promise<TestS3> {
  const { host = '127.0.0.1', within = [] } = place;
  const port = place.port ?? (await freePort());
  const folder = await mkdtemp(join(place.folder ?? tmpdir(), 'quire-s3-'));
  const endpoint = `http://${host}:${port}`;
  const options = JSON.stringify({ ...IDENTITY, host, port, folder });
  const engine = await startEngine({
    name: 'S3',
    command: [...within, process.execPath, join(import.meta.dir, 's3-server.ts'), options],
    // It refuses our unsigned request, which shows that it responds.
    isReady: () => fetch(endpoint, { keepalive: false }).then(() => true),
  });
  return {
    ...engine,
    ...IDENTITY,
    endpoint,
    settings: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: IDENTITY.bucket,
      S3_REGION: IDENTITY.region,
      S3_ACCESS_KEY_ID: IDENTITY.accessKeyId,
      S3_SECRET_ACCESS_KEY: IDENTITY.secretAccessKey,
    },
    async stop() {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
