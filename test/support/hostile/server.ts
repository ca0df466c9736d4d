import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from '../../../server/platform/http/index.ts';
import { startToolVendor } from '../agents/tool-vendor.ts';
import { isRunning } from '../faults/process.ts';
import { type Account, call, login, publish, register } from '../http/client.ts';
import { startSmtp } from '../mail/smtp.ts';
import { startServer, type TestServer } from '../server.ts';
import type { Fill, Sender } from './cases.ts';

/** A server with data for every route, and two watchers that measure how long others wait. */
export interface HostileServer {
  server: TestServer;
  fill: Fill;
  /** The headers of a sender. */
  headersFor(sender: Sender): Promise<Record<string, string>>;
  /** To be called when the login may have ended. */
  logInAgain(): void;
  /** Resets the longest values. */
  reset(): void;
  /** The longest time that the server worked without a pause (CPU time), and that a neighbour waited. */
  longest(): Promise<{ stallMs: number; waitMs: number }>;
  /** How many requests of the neighbour failed. */
  failures(): number;
  stop(): Promise<void>;
}

const SETTINGS = {
  QUIRE_MAIL_FROM: 'quire@example.com',
  QUIRE_LOG_LEVEL: 'warn',
  QUIRE_IMAGE_SEARCH: 'demo',
  // The builder refuses everything with the demo, and features without credits.
  QUIRE_AI_PROVIDER: 'openai-compatible',
  QUIRE_AI_MODEL: 'model-a',
  QUIRE_CREDITS_NEW_USER: '1000000',
  QUIRE_LOGIN_FAILURES_PER_USERNAME: '0',
  QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0',
  QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
  QUIRE_FORMS_PER_MINUTE: '0',
  QUIRE_QUOTA_PAGES: '100000',
  QUIRE_QUOTA_FUNCTIONS: '100000',
  QUIRE_QUOTA_BYTES: '10000000000',
};
const ECHO = 'export default { async fetch(request) { return new Response(await request.text()) } }';
const FEATURES = ['ai', 'image_gen', 'image_search', 'image_recognition', 'spawn'];

export async function startHostileServer(): Promise<HostileServer> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-stall-'));
  const stallFile = join(folder, 'stall');
  writeFileSync(stallFile, Buffer.alloc(16));
  const [smtp, vendor] = await Promise.all([startSmtp(), startToolVendor()]);
  const server = await startServer({
    settings: { ...SETTINGS, QUIRE_SMTP_URL: smtp.url, QUIRE_AI_URL: vendor.url, STALL_FILE: stallFile },
    preload: join(import.meta.dir, 'stall-probe.ts'),
  });
  const stall = new Float64Array(Bun.mmap(stallFile).buffer);
  const owner = await register(server, 'owner');
  const { fill, slug } = await furnish(server, owner);

  const noted = new SharedArrayBuffer(16);
  const waits = new Float64Array(noted);
  const neighbour = new Worker(new URL('./neighbour.worker.ts', import.meta.url));
  const urls = ['/livez', `/p/${slug}`].map((path) => `http://127.0.0.1:${server.port}${path}`);
  neighbour.postMessage({ urls, noted });

  let cookie = '';
  let isLoggedIn = false;
  return {
    server,
    fill,
    async headersFor(sender) {
      if (sender === 'nobody') return {};
      if (sender === 'token') return { authorization: `Bearer ${owner.token}` };
      if (!isLoggedIn) cookie = await login(server, owner.username);
      isLoggedIn = true;
      return { cookie };
    },
    logInAgain() {
      isLoggedIn = false;
    },
    reset() {
      stall[0] = 0;
      waits[0] = 0;
    },
    async longest() {
      // Waits until the probe has run again after the work.
      const looks = stall[1] ?? 0;
      while ((stall[1] ?? 0) <= looks + 1) {
        if (!isRunning(server.pid)) throw new Error(`the server has ended: ${server.output().slice(-2000)}`);
        await Bun.sleep(2);
      }
      return { stallMs: stall[0] ?? 0, waitMs: waits[0] ?? 0 };
    },
    failures: () => waits[1] ?? 0,
    async stop() {
      neighbour.terminate();
      await server.kill();
      await Promise.all([smtp.stop(), vendor.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Pages in every storage mode with a record each, a function with a database, and what else routes need. */
async function furnish(server: TestServer, owner: Account): Promise<{ fill: Fill; slug: string }> {
  const { token } = owner;
  const plain = await publish(server, token, { name: 'Plain' });
  const features = Object.fromEntries(FEATURES.map((name) => [`page_api_${name}_enabled`, true]));
  await call(server, 'PATCH', `/api/pages/${plain.id}`, { token, body: features });
  const neighbours = await publish(server, token, { name: 'Neighbour' });
  await call(server, 'POST', '/api/functions', {
    token,
    body: { slug: 'echo', code: ECHO, enableDatabase: true },
  });
  const pages: Record<string, number> = {};
  const records: Record<string, string> = {};
  for (const mode of ['solo', 'team', 'social']) {
    const page = await publish(server, token, { name: mode, storage_mode: `${mode}_app` });
    const made = await call(server, 'POST', `/api/pages/${page.id}/${mode}-data/notes`, {
      token,
      body: { data: { title: 'One' } },
    });
    pages[mode] = page.id;
    records[mode] = made.body.id;
  }
  const readMode = ({ path }: Route) => /(solo|team|social)\b/.exec(path)?.[1] ?? '';
  const fill: Fill = (route, name) => {
    if (name === 'id' && route.path.startsWith('/api/pages/'))
      return String(pages[readMode(route)] ?? plain.id);
    const known: Record<string, string | undefined> = {
      slug: 'echo',
      collection: 'notes',
      recordId: records[readMode(route)],
      userId: String(owner.id),
      name: route.path.includes('secrets') ? 'A_SECRET' : 'pages',
      code: 'x'.repeat(20),
    };
    return known[name] ?? '1';
  };
  return { fill, slug: neighbours.slug };
}
