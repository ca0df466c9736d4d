import { call, login, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { residentMiB } from './support/process.ts';
import { percentile } from './support/table.ts';

/**
 * Chats through the gate, with a provider that responds immediately: how much time the gate adds, and 500 chats at a
 * time.
 */

const PAGES = 10;
const WORDS = 5;

const LATENCY = 'Latency in ms, p50 / p99';
const ADDED = 'Added by Quire in ms, p50';
const MEMORY = 'Memory of the server in MB';
const ALONE = 'the provider alone';
const THROUGH = 'through Quire: gate, reservation, provider, settlement';
const FIRST_WORD = 'first streamed word, from the provider to the visitor';

export const figures: Figure[] = [
  { name: LATENCY, digits: 1, rows: { ...toRows([ALONE, THROUGH]), [FIRST_WORD]: atMost(3) } },
  { name: ADDED, digits: 1, rows: toRows(['a chat'], atMost(5)) },
  { name: 'Streams at the same time', digits: 1, rows: toRows(['seconds until all have succeeded']) },
  { name: MEMORY, digits: 0, rows: toRows(['before the streams', 'after them']) },
];

export default async function features(bench: Bench): Promise<Report> {
  const [calls, streams] = [bench.pick(300, 30), bench.pick(500, 100)];
  const provider = startProvider();
  bench.atEnd(async () => provider.stop(true));
  const server = await startServer({
    settings: {
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_AI_URL: `http://127.0.0.1:${provider.port}/v1`,
      QUIRE_AI_MODEL: 'bench',
      QUIRE_CREDITS_NEW_USER: '1000000',
    },
  });
  bench.atEnd(server.stop);
  const visitors = await prepare(server, bench.pick(50, 10));

  const whole: number[] = [];
  const first: number[] = [];
  const alone: number[] = [];
  // The first call loads the vendor's library.
  for (let n = -10; n < calls; n++) {
    const visitor = visitors[(n + 10) % visitors.length] as Visitor;
    const direct = await timed(() => askProvider(provider.port ?? 0));
    const through = await timed(() => ask(server, visitor, false));
    const streamed = await firstDelta(server, visitor);
    if (n < 0) continue;
    alone.push(direct);
    whole.push(through);
    first.push(streamed);
  }
  const before = residentMiB(server.pid);
  const startedAt = performance.now();
  const held = await Promise.all(
    Array.from({ length: streams }, (_, n) => ask(server, visitors[n % visitors.length] as Visitor, true)),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const ended = held.filter((text) => text.includes('"type":"done"')).length;
  if (ended < streams) throw new Error(`only ${ended} of ${streams} streams succeeded`);
  const both = (times: number[]) => [percentile(times, 50), percentile(times, 99)];
  return {
    note: `${calls} chats one after the other, then ${streams} streams at the same time.`,
    values: {
      [LATENCY]: { [ALONE]: both(alone), [THROUGH]: both(whole), [FIRST_WORD]: both(first) },
      [ADDED]: { 'a chat': percentile(whole, 50) - percentile(alone, 50) },
      'Streams at the same time': { 'seconds until all have succeeded': seconds },
      [MEMORY]: { 'before the streams': before.all, 'after them': residentMiB(server.pid).all },
    },
  };
}

interface Visitor {
  cookie: string;
  pageId: number;
}

/** Enough visitors and pages to stay below every rate limit. */
async function prepare(server: TestServer, count: number): Promise<Visitor[]> {
  const { token } = await register(server, 'owner');
  const pages: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const { id } = await publish(server, token, { name: `Page ${n}` });
    await call(server, 'PATCH', `/api/pages/${id}`, { token, body: { page_api_ai_enabled: true } });
    pages.push(id);
  }
  const visitors: Visitor[] = [];
  for (let n = 0; n < count; n++) {
    await register(server, `visitor${n}`);
    const cookie = await login(server, `visitor${n}`);
    for (const pageId of pages) {
      await call(server, 'POST', '/api/credits/consents', { cookie, body: { pageId, limit: 1000 } });
      visitors.push({ cookie, pageId });
    }
  }
  return visitors;
}

async function ask(server: TestServer, { cookie, pageId }: Visitor, stream: boolean): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/pages/${pageId}/page-api-ai`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ system_prompt: 'Be brief.', stream }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`answered ${response.status}: ${text}`);
  return text;
}

/** The time from the provider's first word to its arrival. The word contains the time when it was sent. */
async function firstDelta(server: TestServer, { cookie, pageId }: Visitor): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/pages/${pageId}/page-api-ai`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ system_prompt: 'Be brief.', stream: true }),
  });
  let text = '';
  let delay = Number.NaN;
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const sentAt = /at ([\d.]+)/.exec(text)?.[1];
    if (sentAt !== undefined && Number.isNaN(delay)) delay = now() - Number(sentAt);
  }
  return delay;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const now = () => performance.timeOrigin + performance.now();

function askProvider(port: number): Promise<string> {
  return fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', body: '{}' }).then(
    (response) => response.text(),
  );
}

/** Responds like an OpenAI-compatible chat, immediately. */
function startProvider() {
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta: { role: 'assistant', content } }] })}\n\n`;
  const end = `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 5, completion_tokens: WORDS, total_tokens: 5 + WORDS } })}\n\ndata: [DONE]\n\n`;
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(
        new ReadableStream({
          start(controller) {
            const encoder = new TextEncoder();
            controller.enqueue(encoder.encode(chunk(`at ${now()} `)));
            for (let n = 1; n < WORDS; n++) controller.enqueue(encoder.encode(chunk('word ')));
            controller.enqueue(encoder.encode(end));
            controller.close();
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  });
}
