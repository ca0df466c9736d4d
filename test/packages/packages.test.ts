import { afterAll, expect, test } from 'bun:test';
import { createSemaphore } from '../../server/lib/queues.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { startRedis } from '../support/engines/redis.ts';
import { functionApp } from '../support/functions/app.ts';
import { DOCUMENTS } from './cases/documents.ts';
import { SERVICES } from './cases/services.ts';
import { VALUES } from './cases/values.ts';
import { WEB } from './cases/web.ts';
import type { PackageCase } from './package-case.ts';

/**
 * Functions with real packages, from the registry that npm uses on this machine. A package that this registry does not
 * have is named and skipped.
 */

const CASE_MS = 120_000;
/** An owner can deploy two functions at a time. */
const AT_ONCE = 2;
const MAX_TRIES = 3;

const { stdout } = Bun.spawnSync(['npm', 'config', 'get', 'registry'], { stderr: 'ignore' });
const registry = stdout.toString().trim();
const { quire, owner } = await functionApp({
  QUIRE_NPM_REGISTRY: registry,
  QUIRE_DEPLOYS_PER_HOUR: '0',
});
const postgres = await startDatabase();
const redis = await startRedis();
/** A service for clients: it says how it was asked. */
const service = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    const body = text.startsWith('{') ? JSON.parse(text) : text || null;
    return Response.json({ ok: true, method: request.method, path: pathname, body });
  },
});
const inTurn = createSemaphore(AT_ONCE, Number.POSITIVE_INFINITY);
const refuse = () => new Error('All may wait.');
afterAll(async () => {
  await Promise.all([quire.stop(), postgres.stop(), redis.stop(), service.stop(true)]);
});

const input = {
  name: 'Ada',
  server: `http://127.0.0.1:${service.port}`,
  postgres: postgres.url,
  redis: redis.url,
};

let count = 0;
async function deploy({ code, files, hasDatabase = false }: Omit<PackageCase, 'name' | 'expected'>) {
  const slug = `package-${++count}`;
  const body = { slug, code, ...(files && { files }), enableDatabase: hasDatabase };
  for (let tries = 1; ; tries++) {
    const answer = await owner.call('POST', '/api/functions', { body });
    // On a busy machine, a large package may take longer to load than a function may, or to arrive.
    const isLate =
      answer.status === 503 ||
      (answer.status === 422 && answer.body.error.includes('did not finish loading'));
    if (!isLate || tries === MAX_TRIES) return { slug, ...answer };
  }
}

async function check({ name, expected, ...source }: PackageCase): Promise<void> {
  const { slug, status, body } = await deploy(source);
  expect([status, body.error]).toEqual([201, undefined]);
  const { body: tested } = await owner.call('POST', `/api/functions/${slug}/test`, { body: input });
  await owner.call('DELETE', `/api/functions/${slug}`);
  expect({ exception: tested.exception, body: parse(tested.body) }).toEqual({
    exception: null,
    body: expected,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether the registry has all packages that a case names. If it does not answer, the deploy says so. */
async function isAvailable({ code }: PackageCase): Promise<boolean> {
  const names = new Set([...code.matchAll(/npm:((?:@[\w.-]+\/)?[\w.-]+)/g)].map(([, name = '']) => name));
  const asked = [...names].map(async (name) => {
    const url = new URL(`${name.replace('/', '%2F')}/latest`, registry.replace(/\/*$/, '/'));
    const response = await fetch(url, { signal: AbortSignal.timeout(CASE_MS) }).catch(() => undefined);
    return response?.status !== 404;
  });
  return (await Promise.all(asked)).every(Boolean);
}

const ALL = [...WEB, ...SERVICES, ...VALUES, ...DOCUMENTS];
const available = await Promise.all(ALL.map((one) => inTurn(() => isAvailable(one), refuse)));
const cases = ALL.filter((_, index) => available[index]);
for (const { name } of ALL.filter((_, index) => !available[index]))
  test.skip(`a function uses ${name}, which the registry does not have`, () => undefined);

test.concurrent.each(cases.map((one): [string, PackageCase] => [one.name, one]))(
  'a function uses %s',
  (_, one) => inTurn(() => check(one), refuse),
  cases.length * CASE_MS,
);

test(
  'sharp is refused because of its native code',
  async () => {
    const code = `import sharp from 'npm:sharp@0.34'; export default { fetch: () => new Response(typeof sharp) };`;
    const { status, body } = await deploy({ code });
    expect([status, body.error]).toEqual([422, expect.stringMatching(/sharp@.* has native code/)]);
  },
  CASE_MS,
);
