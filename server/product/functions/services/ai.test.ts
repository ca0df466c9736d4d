import { describe, expect, test } from 'bun:test';
import { createLimits } from '../../../platform/coordination/limits/index.ts';
import { createAiService } from './ai.ts';
import type { Asking, FunctionAi, ServicesContext } from './context.ts';

const LONG_MS = 60_000;

/** The service with models that answer as they are told to. */
function start(chat: FunctionAi['chat'] = async () => Response.json({}), longestMs = LONG_MS) {
  const context = {
    limits: createLimits(),
    visitors: { findAgain: async () => ({ userId: 1 }) },
    ai: () => ({ chat, embed: async () => Response.json({}) }),
  } as unknown as ServicesContext;
  const service = createAiService(context, { longestMs });
  const asking = (id: number, ownerId: number) => ({ asking: { id, ownerId, pageId: null } }) as Asking;
  const request = new Request('http://server/ai');
  return {
    chat: (id = 1, ownerId = 1, body: object = { system_prompt: 'Hi' }) =>
      service.run(asking(id, ownerId), { op: 'chat', body }, request),
    embed: (id = 1) => service.run(asking(id, 1), { op: 'embed', body: { texts: ['x'] } }, request),
  };
}

/** An answer without an end, and what was taken of it. */
function endless() {
  const taken = { pieces: 0, cancelled: Promise.withResolvers<void>() };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken.pieces++;
      controller.enqueue(new Uint8Array(1_000));
    },
    cancel: () => taken.cancelled.resolve(),
  });
  return { taken, response: new Response(body) };
}

const RATE_LIMITED = { code: 'RATE_LIMITED' };

test('a function asks 120 times a minute, chats and embeddings together, and no more', async () => {
  const { chat, embed } = start();
  for (let times = 0; times < 60; times++) await Promise.all([(await chat()).text(), (await embed()).text()]);
  await expect(chat()).rejects.toMatchObject({
    ...RATE_LIMITED,
    headers: { 'retry-after': expect.any(String) },
  });
  await expect(embed()).rejects.toMatchObject(RATE_LIMITED);
  expect((await chat(2)).status).toBe(200);
});

test('a question that is wrong is not counted', async () => {
  const { chat } = start();
  for (let times = 0; times < 130; times++)
    await expect(chat(1, 1, { messages: 'x' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect((await chat()).status).toBe(200);
});

describe('a stream that nobody reads', () => {
  test('is made no further than a piece ahead, and counts as one of 20 until it ends', async () => {
    const opened: Array<ReturnType<typeof endless>> = [];
    const { chat } = start(async () => {
      const made = endless();
      opened.push(made);
      return made.response;
    });
    const unread = await Promise.all(Array.from({ length: 20 }, () => chat()));
    await Bun.sleep(0);
    for (const { taken } of opened) expect(taken.pieces).toBeLessThanOrEqual(3);
    await expect(chat()).rejects.toMatchObject(RATE_LIMITED);
    // Another owner is not concerned.
    await (await chat(9, 2)).body?.cancel();
    // What is not wanted any more ends, and makes room.
    await unread[0]?.body?.cancel();
    await opened[0]?.taken.cancelled.promise;
    expect((await chat()).status).toBe(200);
    await Promise.all(unread.map(({ body }) => body?.cancel()));
  });

  test('is cut after the longest time, which stops the model and makes room', async () => {
    const cut: Array<Promise<void>> = [];
    const { chat } = start(async () => {
      const { taken, response } = endless();
      cut.push(taken.cancelled.promise);
      return response;
    }, 1);
    const unread = await Promise.all(Array.from({ length: 20 }, () => chat()));
    await Promise.all(cut);
    await expect(unread[0]?.text()).rejects.toThrow('nobody has read this');
    expect((await chat()).status).toBe(200);
  });

  test('that is read to its end is not cut', async () => {
    const { chat } = start();
    const response = await chat();
    expect(await response.json()).toEqual({});
    for (let times = 0; times < 25; times++) await (await chat()).text();
  });
});
