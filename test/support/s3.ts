import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A bucket for a test, behind a server in a process of its own. */
export interface TestS3 {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  port: number;
  folder: string;
  /** For SIGSTOP and SIGCONT. */
  pid: number;
  /** The same as settings of Quire. */
  settings: Record<string, string>;
  /** Ends it, and removes its folder unless that was given. */
  stop(): Promise<void>;
  /** Ends it without warning; what it has acknowledged is there when it is started again on the folder. */
  kill(): Promise<void>;
}

const IDENTITY = {
  bucket: 'quire-test',
  region: 'us-east-1',
  accessKeyId: 'AKIATESTTESTTEST',
  secretAccessKey: 'secret/for+tests',
};

/** Starts a server of our own; on a port and a folder of before, it goes on where that one ended. */
export async function startS3(options: { port?: number; folder?: string } = {}): Promise<TestS3> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'quire-s3-'));
  const told = JSON.stringify({ ...IDENTITY, port: options.port ?? 0, folder });
  const leash = Bun.which('setpriv') ? ['setpriv', '--pdeathsig=KILL', '--'] : [];
  const child = Bun.spawn([...leash, process.execPath, join(import.meta.dir, 's3-server.ts'), told], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await firstLine(child.stdout);
  if (!/^\d+$/.test(port)) throw new Error(`the S3 server did not start: ${await child.exited}`);
  const endpoint = `http://127.0.0.1:${port}`;
  const end = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  return {
    ...IDENTITY,
    endpoint,
    port: Number(port),
    folder,
    pid: child.pid,
    settings: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: IDENTITY.bucket,
      S3_REGION: IDENTITY.region,
      S3_ACCESS_KEY_ID: IDENTITY.accessKeyId,
      S3_SECRET_ACCESS_KEY: IDENTITY.secretAccessKey,
    },
    async stop() {
      await end();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
    kill: end,
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}
