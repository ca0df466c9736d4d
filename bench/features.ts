import { call, login, publish, register } from '../test/support/fault-client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import type { Bench } from './run.ts';
import { residentMiB } from './support/process.ts';
import { percentile, table } from './support/table.ts';

/** Chatting through the gate, with a provider that responds immediately: what the gate adds, and 500 at a time. */

const CALLS = 300;
const STREAMS = 500;
const VISITORS = 50;
const PAGES = 10;
const WORDS = 5;

export default async function features(bench: Bench): Promise<string> {
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
  const visitors = await prepare(server);

  const whole: number[] = [];
  const first: number[] = [];
  const alone: number[] = [];
  // The first call loads the vendor's library.
  for (let n = -10; n < CALLS; n++) {
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
    Array.from({ length: STREAMS }, (_, n) => ask(server, visitors[n % visitors.length] as Visitor, true)),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const ended = held.filter((text) => text.includes('"type":"done"')).length;
  return [
    `${CALLS} chats one after the other, then ${STREAMS} streams at once`,
    '',
    table(
      ['ms', 'p50', 'p99'],
      [
        ['the provider alone', percentile(alone, 50).toFixed(1), percentile(alone, 99).toFixed(1)],
        ['through Quire', percentile(whole, 50).toFixed(1), percentile(whole, 99).toFixed(1)],
        ['first streamed word', percentile(first, 50).toFixed(1), percentile(first, 99).toFixed(1)],
      ],
    ),
    '',
    `${ended} of ${STREAMS} streams ended well, after ${seconds.toFixed(1)} s; memory ${before.all.toFixed(0)} to ${residentMiB(server.pid).all.toFixed(0)} MB`,
  ].join('\n');
}

interface Visitor {
  cookie: string;
  pageId: number;
}

/** Enough visitors and pages that no rate is met. */
async function prepare(server: TestServer): Promise<Visitor[]> {
  const { token } = await register(server, 'owner');
  const pages: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const { id } = await publish(server, token, { name: `Page ${n}` });
    await call(server, 'PATCH', `/api/pages/${id}`, { token, body: { page_api_ai_enabled: true } });
    pages.push(id);
  }
  const visitors: Visitor[] = [];
  for (let n = 0; n < VISITORS; n++) {
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

/** From the provider's first word to its arrival: the provider puts its clock into it. */
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
