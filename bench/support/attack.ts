import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PRIORITIES, setProcessPriority } from '../../server/runtime/workerd/index.ts';
import { type FunctionServer, HELLO, handler } from '../../test/support/functions/server.ts';
import { publish } from '../../test/support/http/client.ts';
import type { RepeatedRequest } from './requests.process.ts';

/** The worst that one owner can do to a service, one resource at a time and all together. */
export interface Attack {
  name: string;
  /** Begins, and returns a function that ends it. */
  start(): Promise<() => Promise<void>>;
}

/** Their names, in order. */
export const ATTACKS = [
  '16 cells that stream or spin',
  '1,200 connections at once',
  'long statements',
  'deploys that never load',
  '18 readers of pages of 4 MB',
  'all together',
] as const;
const [CELLS, CONNECTIONS, STATEMENTS, DEPLOYS, READERS, TOGETHER] = ATTACKS;

const STREAMS = 8;
const SPINNERS = 8;
const PAGES = 18;
const PAGE_BYTES = 4_000_000;

const TRICKLE = handler(`const { readable, writable } = new TransformStream();
  ctx.waitUntil((async () => {
    const writer = writable.getWriter();
    for (;;) { await writer.write(new TextEncoder().encode('.')); await scheduler.wait(20); }
  })());
  return new Response(readable)`);
const SPIN = handler('for (let i = 0; i < 4e9; i++); return new Response("spun")');
const openMany = (port: number) => `import { connect } from 'cloudflare:sockets';
${handler(`await Promise.all(Array.from({ length: 1200 }, () =>
  connect('127.0.0.1:${port}').opened.catch(() => undefined)));
  await scheduler.wait(2_000); return new Response('opened')`)}`;
const COUNT_FAR = handler(`await env.DB.prepare(
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT sum(i) FROM n').all();
  return new Response('counted')`);
const NEVER_LOADS = `while (true) {} ${HELLO}`;

/** Prepares everything that an attacker can prepare in advance. */
export async function attack(server: FunctionServer, sinkPort: number): Promise<Attack[]> {
  const base = `http://127.0.0.1:${server.port}`;
  const { token } = server.owner;
  const deploy = async (count: number, code: string, fields = {}) => {
    const slugs: string[] = [];
    for (let at = 0; at < count; at++) slugs.push(await server.deploy(code, fields));
    return slugs;
  };
  const streams = await deploy(STREAMS, TRICKLE);
  const spinners = await deploy(SPINNERS, SPIN);
  const openers = await deploy(1, openMany(sinkPort));
  const counters = await deploy(1, COUNT_FAR, { enableDatabase: true });
  const pages: string[] = [];
  const html = '<div>'.repeat(PAGE_BYTES / 11) + '</div>'.repeat(PAGE_BYTES / 11);
  for (let at = 0; at < PAGES; at++)
    pages.push((await publish(server, token, { name: `Heavy ${at}`, html_content: html })).slug);

  const toCallPaths = (slugs: string[], times: number) =>
    slugs.map((slug) => ({ url: `${base}/api/functions/${slug}`, times, method: 'POST' }));
  const deploys: RepeatedRequest = {
    url: `${base}/api/functions`,
    times: 4,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'never-{unique}', code: NEVER_LOADS }),
  };
  const alone: Attack[] = [
    { name: CELLS, start: () => repeat(toCallPaths([...streams, ...spinners], 1)) },
    { name: CONNECTIONS, start: () => repeat(toCallPaths(openers, 1)) },
    { name: STATEMENTS, start: () => repeat(toCallPaths(counters, 4)) },
    { name: DEPLOYS, start: () => repeat([deploys]) },
    { name: READERS, start: () => repeat(pages.map((slug) => ({ url: `${base}/p/${slug}`, times: 1 }))) },
  ];
  const together: Attack = {
    name: TOGETHER,
    async start() {
      const stops = await Promise.all(alone.map(({ start }) => start()));
      return async () => void (await Promise.all(stops.map((stop) => stop())));
    },
  };
  return [...alone, together];
}

/**
 * Sends requests from a process of its own, with the lowest priority: attackers have machines of their own, and what
 * they need to read a response must not count.
 */
async function repeat(requests: RepeatedRequest[]): Promise<() => Promise<void>> {
  const file = join(import.meta.dir, 'requests.process.ts');
  // In a session of its own, because the kernel shares the CPU between sessions first.
  const child = spawn(process.execPath, [file, JSON.stringify(requests)], {
    detached: true,
    stdio: 'inherit',
  });
  const exited = once(child, 'exit');
  setProcessPriority(child.pid ?? 0, PRIORITIES.greedy);
  return async () => {
    child.kill();
    await exited;
  };
}
