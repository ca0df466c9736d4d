import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startToolVendor, type ToolVendor } from '../../support/agents/tool-vendor.ts';
import { PIXEL, startVendors, type Vendors } from '../../support/agents/vendors.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';

/** `env.AI`: what functions ask models, for the credits of their owners. */

const HELLO = [{ role: 'user', content: 'Hello' }];
/** Asks as it is told to, and returns the result or the error. */
const TOLD = handler(`
  const { op, args = [], count = 1 } = await request.json();
  const once = async () => {
    try {
      if (op === 'leave') {
        for await (const event of env.AI.chat(args[0])) return { first: event };
      }
      if (op !== 'stream') return { data: await env.AI[op](...args) };
      const events = [];
      for await (const event of env.AI.chat({ ...args[0], stream: true })) events.push(event);
      return { events };
    } catch (error) {
      return { error: error.message, code: error.code, retryAfter: error.retryAfter };
    }
  };
  const all = await Promise.all(Array.from({ length: count }, once));
  return Response.json(count === 1 ? all[0] : all);`);
/** Begins a chat that nobody reads, and ends. */
const FORGETFUL = handler(`
  const { wait } = await request.json();
  const events = env.AI.chat({ messages: [{ role: 'user', content: 'Hi' }], stream: true });
  if (wait) { const whole = env.AI.chat({ messages: [{ role: 'user', content: 'Hi' }] }); whole.catch(() => 0); await new Promise((resolve) => setTimeout(resolve, 50)); }
  else await events.next();
  return Response.json(1);`);

/** The balance of the owner, and the last entry of their history. Tokens cannot read them. */
async function openPurse({ quire, owner }: FunctionApp) {
  const cookie = await owner.login();
  const read = async (path: string) => (await quire.call('GET', `/api/credits${path}`, { cookie })).body;
  return {
    balance: async (): Promise<number> => (await read('')).balance,
    last: async () => (await read('/history')).history[0],
    /** What was spent, when something was. */
    async untilSpent(before: number): Promise<number> {
      for (;;) {
        const { kind, id, credits } = (await read('/history')).history[0];
        const now = (await read('')).balance;
        if (kind === 'spend' && now < before && Math.abs(before + credits - now) < 1e-6 && id)
          return -credits;
        await Bun.sleep(20);
      }
    },
  };
}
type Purse = Awaited<ReturnType<typeof openPurse>>;

describe('with the demo provider', () => {
  let app: FunctionApp;
  let slug: string;
  let purse: Purse;
  beforeAll(async () => {
    app = await functionApp({ QUIRE_CREDITS_NEW_USER: '20' });
    slug = await app.deploy(TOLD);
    purse = await openPurse(app);
  });
  afterAll(() => app.quire.stop());
  const tell = async (told: object, called = slug) => (await app.call(called, told)).body;
  const chat = (body: object, called = slug) => tell({ op: 'chat', args: [body] }, called);
  const limit = (aiDailyLimit: unknown, called = slug) =>
    app.owner.call('PATCH', `/api/functions/${called}`, { body: { aiDailyLimit } });

  test('a function without a page chats, by a schema, with tools and in pieces, and its owner pays', async () => {
    const before = await purse.balance();
    const { data } = await chat({ messages: HELLO });
    expect(data.content).toContain('"Hello"');
    expect(data.credits).toEqual({
      deducted: data.usage.totalTokens / 2500,
      remaining: before - data.credits.deducted,
    });
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] };
    expect((await chat({ messages: HELLO, response_format: schema })).data.data).toEqual({ n: 3 });
    const { data: called } = await chat({ system_prompt: 'Go', tools: [{ name: 'weather' }] });
    expect(called.tool_calls).toEqual([{ id: 'demo-0', name: 'weather', input: {} }]);
    const images = [PIXEL.toString('base64')];
    expect((await chat({ messages: [{ role: 'user', content: 'Look', images }] })).error).toBeUndefined();
    const { events } = await tell({ op: 'stream', args: [{ messages: HELLO }] });
    expect(events.at(-1)).toMatchObject({ type: 'done', credits: { deducted: expect.any(Number) } });
    expect(events[0]).toEqual({ type: 'delta', content: expect.any(String) });
    expect(await purse.last()).toMatchObject({ feature: 'function_ai', reason: 'AI in a function' });
    const { aiDailyLimit, aiUsedToday } = (await app.owner.call('GET', `/api/functions/${slug}`)).body;
    expect([aiDailyLimit, aiUsedToday]).toEqual([50, expect.closeTo(before - (await purse.balance()), 6)]);
    const others = (await app.stranger.call('GET', `/api/functions/${slug}`)).body;
    expect([others.aiDailyLimit, others.aiUsedToday]).toEqual([undefined, undefined]);
  });

  test('embeddings are the same for the same text, and near for similar ones', async () => {
    const texts = ['the cat sleeps', 'a dog barks loudly', 'the cat sleeps', 'the cat eats'];
    const { data } = await tell({ op: 'embed', args: [texts] });
    const [cat, dog, again, eats] = data.embeddings as number[][];
    const near = (one: number[] = [], other: number[] = []) =>
      one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
    expect(again).toEqual(cat as number[]);
    expect(near(cat, eats)).toBeGreaterThan(near(cat, dog));
    // A tenth of the price of a chat.
    expect(data.credits.deducted).toBe(Math.ceil(data.usage.totalTokens / 10) / 2500);
    expect((await tell({ op: 'embed', args: ['one'] })).data.embeddings).toHaveLength(1);
  });

  const many = (count: number, bytes: number) => Array.from({ length: count }, () => 'x'.repeat(bytes));
  test.each<[string, string[], string[]]>([
    ['100 texts', many(100, 1), many(101, 1)],
    ['32 KB a text', many(1, 32 * 1024), many(1, 32 * 1024 + 1)],
    ['256 KB of texts', many(8, 32 * 1024), [...many(8, 32 * 1024), 'x']],
    ['a text that is not empty', [' x '], ['x', ' ']],
  ])('embed takes %s, and not more', async (_, within, beyond) => {
    expect((await tell({ op: 'embed', args: [within] })).data.embeddings).toHaveLength(within.length);
    expect((await tell({ op: 'embed', args: [beyond] })).code).toBe('BAD_REQUEST');
  });

  test('what is wrong is refused with its name', async () => {
    for (const [body, name] of [
      [{}, 'messages'],
      [{ messages: [{ role: 'system', content: 'x' }] }, 'messages.0.role: must be user, assistant or tool'],
      [{ messages: HELLO, model: 'other' }, 'model: other is not offered here'],
      [{ messages: HELLO, temperature: 1 }, 'temperature'],
      [{ messages: HELLO, maxTokens: 5_000 }, 'maxTokens'],
      [
        { messages: [{ role: 'user', content: 'x'.repeat(100 * 1024 + 1) }] },
        'must have at most 102,400 bytes',
      ],
    ] as const) {
      const { code, error } = await chat(body);
      expect([code, error]).toEqual(['BAD_REQUEST', expect.stringContaining(name)]);
    }
    const code = handler(`
      const messages = [{ role: 'user', content: 'x'.repeat(2 * 1024 * 1024) }];
      return env.AI.chat({ messages }).then(Response.json, ({ code, message }) => Response.json({ code, message }));`);
    const { body } = await app.call(await app.deploy(code));
    expect(body).toEqual({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'AI.chat: This is more than 2048 KB as JSON. Send less at once.',
    });
  });

  test('a secret named AI keeps its name', async () => {
    const named = await app.deploy(handler('return Response.json(env.AI)'));
    await app.owner.call('PUT', `/api/functions/${named}/secrets/AI`, { body: { value: 'mine' } });
    expect((await app.call(named)).body).toBe('mine');
  });

  test('many at once do not spend more than the limit', async () => {
    const bounded = await app.deploy(TOLD, { aiDailyLimit: 1 });
    const args = ['x'.repeat(32 * 1024)];
    const all = await tell({ op: 'embed', args: [args], count: 15 }, bounded);
    const codes = all.map(({ code }: { code?: string }) => code ?? 'done');
    expect(new Set(codes)).toEqual(new Set(['done', 'RATE_LIMITED']));
    const { aiUsedToday } = (await app.owner.call('GET', `/api/functions/${bounded}`)).body;
    expect(aiUsedToday).toBe((codes.filter((code: string) => code === 'done').length * 820) / 2500);
    expect(aiUsedToday).toBeLessThanOrEqual(1);
  });

  test('0 turns AI off, and limits are whole numbers up to 10,000', async () => {
    const off = await app.deploy(TOLD, { aiDailyLimit: 0 });
    const { code, error } = await chat({ messages: HELLO }, off);
    expect([code, error]).toEqual([
      'FORBIDDEN',
      expect.stringContaining(`AI is turned off for the function ${off}.`),
    ]);
    expect((await limit(10_000, off)).body.aiDailyLimit).toBe(10_000);
    for (const wrong of [10_001, -1, 0.5, '5', null]) expect((await limit(wrong, off)).status).toBe(400);
    const others = await app.stranger.call('PATCH', `/api/functions/${off}`, { body: { aiDailyLimit: 1 } });
    expect(others.status).toBe(403);
    expect((await app.owner.call('GET', `/api/functions/${off}`)).body.aiDailyLimit).toBe(10_000);
  });

  test('an owner without credits learns it', async () => {
    const poor = await app.quire.user('env-ai-poor');
    const theirs = await app.deploy(TOLD, { aiDailyLimit: 1_000 }, poor);
    const args = [Array.from({ length: 8 }, () => 'x'.repeat(32 * 1024))];
    for (let turn = 0; ; turn++) {
      const { code, error } = await tell({ op: 'embed', args }, theirs);
      expect(turn).toBeLessThan(20);
      if (!code) continue;
      expect([code, error]).toEqual(['QUOTA_EXCEEDED', expect.stringContaining('You have too few credits')]);
      break;
    }
  });

  test('a function spends its limit, nothing more, and begins again the next day', async () => {
    const bounded = await app.deploy(TOLD, { aiDailyLimit: 1 });
    const text = 'x'.repeat(32 * 1024);
    // 2,500 tokens are a credit. A text of 32 KB is estimated with 8,192 tokens, which cost a tenth.
    const embed = () => tell({ op: 'embed', args: [[text]] }, bounded);
    expect((await embed()).data.credits.deducted).toBe(820 / 2500);
    expect((await embed()).data.credits.deducted).toBe(820 / 2500);
    // 860 are left, and a reservation takes up to 1,094.
    const refused = await embed();
    expect([refused.code, refused.error]).toEqual([
      'RATE_LIMITED',
      `AI.embed: The function ${bounded} has 0.344 of its 1 credits for AI left today, which is too few for this. Raise its aiDailyLimit in its settings, or with PATCH /api/functions/${bounded}, or wait until tomorrow (UTC).`,
    ]);
    expect(refused.retryAfter).toBeGreaterThan(0);
    // What is left is used to the end, by chats that cannot get longer than that.
    for (;;) {
      const { code } = await chat({ messages: HELLO }, bounded);
      if (code) break;
    }
    const { aiUsedToday } = (await app.owner.call('GET', `/api/functions/${bounded}`)).body;
    expect(aiUsedToday).toBeLessThanOrEqual(1);
    // Another function of the owner has a limit of its own, and a higher limit works at once.
    expect((await chat({ messages: HELLO })).code).toBeUndefined();
    expect((await limit(2, bounded)).body).toMatchObject({ aiDailyLimit: 2, aiUsedToday });
    expect((await embed()).code).toBeUndefined();
    await limit(1, bounded);
    expect((await embed()).code).toBe('RATE_LIMITED');
    app.quire.advance(24 * 3600_000);
    expect((await embed()).code).toBeUndefined();
    expect((await embed()).code).toBeUndefined();
    expect((await embed()).code).toBe('RATE_LIMITED');
  });
});

describe('with a vendor', () => {
  let vendor: ToolVendor;
  let app: FunctionApp;
  let slug: string;
  let purse: Purse;
  beforeAll(async () => {
    vendor = await startToolVendor();
    app = await functionApp({
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_AI_URL: vendor.url,
      QUIRE_AI_MODEL: 'model-a',
      QUIRE_AI_MODELS: 'model-b=4',
      QUIRE_CREDITS_NEW_USER: '20',
    });
    slug = await app.deploy(TOLD);
    purse = await openPurse(app);
  });
  afterAll(async () => {
    await app.quire.stop();
    await vendor.stop();
  });
  const tell = async (told: object, called = slug) => (await app.call(called, told)).body;
  const never = () => new Promise(() => undefined);

  test('a model that the function chooses has its price, and no instructions are sent without any', async () => {
    vendor.play([{ text: 'Hi', usage: { input: 20, output: 80 } }]);
    const { data } = await tell({ op: 'chat', args: [{ messages: HELLO, model: 'model-b' }] });
    expect([data.content, data.credits.deducted]).toEqual(['Hi', 0.4]);
    expect(vendor.seen.at(-1)?.body).toMatchObject({ model: 'model-b', messages: HELLO });
  });

  test('a model that fails costs nothing', async () => {
    const before = await purse.balance();
    vendor.play([{ status: 500 }]);
    const failed = await tell({ op: 'chat', args: [{ messages: HELLO }] });
    expect([failed.code, failed.error]).toEqual(['UNAVAILABLE', expect.stringContaining('AI.chat: ')]);
    vendor.play([{ text: 'Half of it', ends: 'half' }]);
    const broken = await tell({ op: 'stream', args: [{ messages: HELLO }] });
    expect([broken.code, broken.error]).toEqual([
      'UNAVAILABLE',
      expect.stringMatching(/^AI.chat: The provider/),
    ]);
    expect(await purse.balance()).toBe(before);
  });

  test('answers that do not fit are free, up to 31 in an hour', async () => {
    const poet = await app.quire.user('env-ai-poet');
    const theirs = await app.deploy(TOLD, {}, poet);
    const args = [{ messages: HELLO, response_format: { type: 'object' } }];
    vendor.play(() => ({ text: 'A poem.' }));
    const codes = async (op: string, count: number) =>
      (await tell({ op, args, count }, theirs)).map(({ code }: { code?: string }) => code);
    expect(await codes('chat', 15)).toEqual(Array(15).fill('UNAVAILABLE'));
    expect(await codes('stream', 16)).toEqual(Array(16).fill('UNAVAILABLE'));
    const refused = await tell({ op: 'chat', args }, theirs);
    expect([refused.code, refused.error]).toEqual([
      'RATE_LIMITED',
      expect.stringContaining('did not fit response_format'),
    ]);
    // Others are not concerned, nor are other chats.
    expect((await tell({ op: 'chat', args: [{ messages: HELLO }] }, theirs)).data.content).toBe('A poem.');
    expect((await tell({ op: 'chat', args })).code).toBe('UNAVAILABLE');
    const { aiUsedToday } = (await poet.call('GET', `/api/functions/${theirs}`)).body;
    expect(aiUsedToday).toBeLessThan(0.1);
  });

  test('a loop that is left, and a call that ends, stop the model and pay for what it wrote', async () => {
    for (const told of [
      () => tell({ op: 'leave', args: [{ messages: HELLO, stream: true }] }),
      async () => app.call(await app.deploy(FORGETFUL), {}),
      async () => app.call(await app.deploy(FORGETFUL), { wait: true }),
    ]) {
      const before = await purse.balance();
      vendor.play([{ text: 'Words that take long', pace: (part) => (part > 0.6 ? never() : undefined) }]);
      const gone = vendor.nextHangUp();
      await told();
      await gone;
      const spent = await purse.untilSpent(before);
      expect(spent).toBeGreaterThan(0);
      expect(spent).toBeLessThan(0.1);
    }
  });

  test('a function that opens very many waits for 20 answers at once, and others are refused', async () => {
    let arrived = 0;
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    vendor.play(() => {
      if (++arrived === 20) setTimeout(open, 200);
      return { text: 'Hi', pace: () => opened };
    });
    const all = await tell({ op: 'stream', args: [{ messages: HELLO, maxTokens: 10 }], count: 200 });
    const codes = all.map(({ code }: { code?: string }) => code ?? 'done');
    expect(codes.filter((code: string) => code === 'done')).toHaveLength(20);
    expect(codes.filter((code: string) => code === 'RATE_LIMITED')).toHaveLength(180);
    // They do not count any more when they have ended.
    vendor.play([{ text: 'Hi' }]);
    expect((await tell({ op: 'chat', args: [{ messages: HELLO }] })).data.content).toBe('Hi');
  });

  test('embeddings need a model', async () => {
    const { code, error } = await tell({ op: 'embed', args: [['x']] });
    expect([code, error]).toEqual(['NOT_INSTALLED', expect.stringContaining('QUIRE_AI_EMBED_MODEL')]);
  });
});

describe('embeddings of a vendor', () => {
  let vendors: Vendors;
  beforeAll(async () => {
    vendors = await startVendors();
  });
  afterAll(() => vendors.stop());
  const ai = (more: Record<string, string>) => ({
    QUIRE_CREDITS_NEW_USER: '20',
    QUIRE_AI_MODEL: 'model',
    ...more,
  });

  test('are asked for with the model, in order, and nonsense costs nothing', async () => {
    const app = await functionApp(
      ai({
        QUIRE_AI_PROVIDER: 'openai-compatible',
        QUIRE_AI_URL: vendors.urls.chat,
        QUIRE_AI_KEY: 'key-1',
        QUIRE_AI_EMBED_MODEL: 'vectors',
      }),
    );
    const slug = await app.deploy(TOLD);
    const purse = await openPurse(app);
    const embed = async (texts: string[]) => (await app.call(slug, { op: 'embed', args: [texts] })).body;
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ];
    vendors.behave({ json: { data, usage: { prompt_tokens: 100 } } });
    const found = (await embed(['a', 'b'.repeat(400)])).data;
    expect(found).toMatchObject({
      embeddings: [
        [1, 0],
        [0, 1],
      ],
      usage: { totalTokens: 100 },
      credits: { deducted: 0.004 },
    });
    expect(vendors.seen.at(-1)).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer key-1' },
      body: { model: 'vectors', input: ['a', 'b'.repeat(400)] },
    });
    const before = await purse.balance();
    for (const wrong of [
      { data: data.slice(1) },
      { data: [data[0], data[0]] },
      { data: [data[0], { index: 0, embedding: [1] }] },
      { data: [data[0], { index: 0, embedding: ['x', 'y'] }] },
    ]) {
      vendors.behave({ json: wrong });
      expect((await embed(['a', 'b'])).code).toBe('UNAVAILABLE');
    }
    expect(await purse.balance()).toBe(before);
    await app.quire.stop();
  });

  test('Anthropic has none', async () => {
    const app = await functionApp(ai({ QUIRE_AI_PROVIDER: 'anthropic', QUIRE_AI_KEY: 'key' }));
    const { code, error } = (await app.call(await app.deploy(TOLD), { op: 'embed', args: [['x']] })).body;
    expect([code, error]).toEqual(['NOT_INSTALLED', expect.stringContaining('makes no embeddings')]);
    await app.quire.stop();
  });
});
