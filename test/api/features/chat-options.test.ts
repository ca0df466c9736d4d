import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startToolVendor, type ToolVendor } from '../../support/agents/tool-vendor.ts';
import { PIXEL } from '../../support/agents/vendors.ts';
import { type TestApp, type TestResponse, type TestUser, testApp } from '../../support/app.ts';

/** Chats with tools, with an answer by a schema, with pictures, and with a model that the page chooses. */

const SCHEMA = {
  type: 'object',
  properties: { title: { type: 'string', minLength: 6 }, count: { type: 'integer', minimum: 3 } },
  required: ['title', 'count'],
};
const TOOL = { name: 'weather', parameters: { type: 'object', properties: { city: { enum: ['Oslo'] } } } };
const IMAGE = PIXEL.toString('base64');

interface Page {
  ask(body: object): Promise<TestResponse>;
  /** The credits of the visitor. */
  balance(): Promise<number>;
  id: number;
  visitor: TestUser;
}

async function open(quire: TestApp): Promise<Page> {
  const owner = await quire.user();
  const { id } = await owner.publish({ page_api_ai_enabled: true });
  const visitor = await quire.user();
  const cookie = await visitor.login();
  const headers = { cookie, origin: quire.baseUrl };
  await quire.call('POST', '/api/credits/consents', { headers, body: { pageId: id, limit: 20 } });
  const ask = (body: object) =>
    quire.call('POST', `/api/pages/${id}/page-api-ai`, {
      headers,
      body: { system_prompt: 'Be brief.', messages: [{ role: 'user', content: 'Hello' }], ...body },
    });
  const balance = async () => (await quire.call('GET', '/api/credits', { headers })).body.balance;
  return { ask, balance, id, visitor };
}

describe('with the demo provider', () => {
  let quire: TestApp;
  let page: Page;
  beforeAll(async () => {
    quire = await testApp();
    page = await open(quire);
  });
  afterAll(() => quire.stop());

  test('an answer fits the schema', async () => {
    const { status, body } = await page.ask({ response_format: SCHEMA });
    expect([status, body.data]).toEqual([200, { title: 'demo..', count: 3 }]);
    expect(JSON.parse(body.content)).toEqual(body.data);
    const streamed = await page.ask({ response_format: SCHEMA, stream: true });
    expect(String(streamed.body)).toContain('"type":"done","data":{"title":"demo..","count":3}');
  });

  test('a tool is called, and its result is answered', async () => {
    const first = await page.ask({ tools: [TOOL] });
    expect(first.body.tool_calls).toEqual([{ id: 'demo-1', name: 'weather', input: { city: 'Oslo' } }]);
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: '', tool_calls: first.body.tool_calls },
      { role: 'tool', tool_call_id: 'demo-1', content: 'It rains.' },
    ];
    const second = await page.ask({ tools: [TOOL], messages });
    expect([second.body.tool_calls, second.body.content]).toEqual([
      undefined,
      expect.stringContaining('It rains.'),
    ]);
    const streamed = await page.ask({ tools: [TOOL], stream: true });
    expect(String(streamed.body)).toContain(
      '{"type":"tool_call","id":"demo-1","name":"weather","input":{"city":"Oslo"}}',
    );
  });

  test('a tool is called, and its result is answered by the schema', async () => {
    const both = { tools: [TOOL], response_format: SCHEMA };
    const first = await page.ask(both);
    expect([first.status, first.body.data, first.body.tool_calls]).toMatchObject([
      200,
      undefined,
      [{ name: 'weather', input: { city: 'Oslo' } }],
    ]);
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: '', tool_calls: first.body.tool_calls },
      { role: 'tool', tool_call_id: 'demo-1', content: 'It rains.' },
    ];
    const second = await page.ask({ ...both, messages });
    expect([second.body.tool_calls, second.body.data]).toEqual([undefined, { title: 'demo..', count: 3 }]);
  });

  test('models are listed with their prices, also for guests', async () => {
    const models = (id: number) => quire.call('GET', `/api/pages/${id}/page-api-models`);
    expect((await models(page.id)).body).toEqual({
      success: true,
      models: [{ name: 'demo', price: 0.4, default: true }],
    });
    const { id } = await page.visitor.publish({});
    expect([(await models(id)).status, (await models(id)).body.error]).toEqual([403, 'ai_disabled']);
    expect((await models(999_999)).status).toBe(404);
  });

  const tools = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `tool-${index}` }));
  const user = (images: string[]) => ({ role: 'user', content: 'Look', images });
  const long = (letters: number) => ({ type: 'object', description: 'x'.repeat(letters) });
  const empty = JSON.stringify(long(0)).length;
  test.each<[string, object, object]>([
    ['16 tools', { tools: tools(16) }, { tools: tools(17) }],
    [
      '4 pictures',
      { messages: [user([IMAGE, IMAGE, IMAGE]), user([IMAGE])] },
      { messages: [user([IMAGE, IMAGE, IMAGE]), user([IMAGE, IMAGE])] },
    ],
    [
      '8,192 letters of a schema',
      { response_format: long(8192 - empty) },
      { response_format: long(8193 - empty) },
    ],
    [
      '32 KB of tools',
      {
        tools: tools(16).map((tool) => ({ ...tool, description: 'x'.repeat(900), parameters: long(1_000) })),
      },
      {
        tools: tools(16).map((tool) => ({
          ...tool,
          description: 'x'.repeat(1_000),
          parameters: long(1_000),
        })),
      },
    ],
  ])('%s are taken, and not more', async (_, within, beyond) => {
    expect((await page.ask({ ...within, maxTokens: 1 })).status).toBe(200);
    const refused = await page.ask(beyond);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
  });

  test.each<[string, object]>([
    ['an unknown model', { model: 'other' }],
    ['a tool named as the answer', { tools: [{ name: 'json' }], response_format: SCHEMA }],
    ['a schema that is not one', { response_format: { type: 'string' } }],
    ['a word that is not checked', { response_format: { type: 'object', allOf: [] } }],
    ['two tools with one name', { tools: [TOOL, TOOL] }],
    ['a picture that is none', { messages: [{ role: 'user', content: '', images: ['aGVsbG8='] }] }],
    ['a picture of the assistant', { messages: [{ role: 'assistant', content: '', images: [IMAGE] }] }],
    ['a private address', { messages: [{ role: 'user', content: '', images: ['http://127.0.0.1:1/'] }] }],
    ['a result of nothing', { messages: [{ role: 'tool', content: '', tool_call_id: 'x' }] }],
    ['a result without its call', { messages: [{ role: 'tool', content: '' }] }],
  ])('%s is refused', async (_, body) => {
    const refused = await page.ask(body);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
  });

  test('a word that is not checked is refused by its name', async () => {
    const part = { type: 'object', properties: { a: { type: 'array', items: { not: {} } } } };
    const { body } = await page.ask({ response_format: part });
    expect(body.message).toContain('response_format: has the unknown word "not"');
  });

  test('samples of lists and of required fields fit too', async () => {
    const list = { type: 'array', minItems: 5, items: { type: 'object', required: ['question'] } };
    const { body } = await page.ask({
      response_format: { type: 'object', properties: { list }, required: ['list'] },
    });
    expect(body.data.list).toEqual(Array(5).fill({ question: 'demo' }));
  });
});

describe('with a vendor', () => {
  let vendor: ToolVendor;
  let quire: TestApp;
  let page: Page;
  beforeAll(async () => {
    vendor = await startToolVendor();
    quire = await testApp({
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_AI_URL: vendor.url,
      QUIRE_AI_MODEL: 'model-a',
      QUIRE_VISION_MODEL: 'model-eyes',
      QUIRE_AI_MODELS: 'model-b=4, model-c=0.04',
      QUIRE_CREDITS_NEW_USER: '20',
    });
    page = await open(quire);
  });
  afterAll(async () => {
    await quire.stop();
    await vendor.stop();
  });

  test('the schema, the tools and the pictures reach it', async () => {
    vendor.play([{ text: '```json\n{"title":"Tomato soup","count":3}\n```' }]);
    const first = await page.ask({ response_format: SCHEMA });
    expect([first.status, first.body.data]).toEqual([200, { title: 'Tomato soup', count: 3 }]);
    expect(vendor.seen.at(-1)?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { schema: SCHEMA, strict: false, name: 'response' },
    });
    vendor.play([{ calls: [{ name: 'weather', input: { city: 'Oslo' } }] }]);
    const second = await page.ask({ tools: [TOOL] });
    expect(second.body.tool_calls).toMatchObject([{ name: 'weather', input: { city: 'Oslo' } }]);
    expect(vendor.seen.at(-1)?.body.tools).toMatchObject([{ function: { name: 'weather' } }]);
    vendor.play([{ text: 'A pixel.' }]);
    await page.ask({ messages: [{ role: 'user', content: 'What?', images: [IMAGE] }] });
    const { body } = vendor.seen.at(-1) ?? {};
    expect(body?.model).toBe('model-eyes');
    expect(JSON.stringify(body?.messages)).toContain(`data:image/png;base64,${IMAGE.slice(0, 40)}`);
  });

  test.each([
    ['Sure! Here it is.', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['{"title":"Tomato soup","cou', 'was cut off'],
    ['{"title":"Tomato soup"}', 'count is required'],
    ['{"title":"Tomato soup","count":2}', 'count must be at least 3'],
    ['{"title":"Soup","count":3}', 'title must have at least 6 characters'],
  ])('the answer %s does not fit, says so, and costs nothing', async (text, why) => {
    const before = await page.balance();
    expect(before).toBeGreaterThan(0);
    vendor.play([{ text }, { text }]);
    const { status, body } = await page.ask({ response_format: SCHEMA });
    expect([status, body.error]).toEqual([502, 'provider_error']);
    expect(body.message).toContain(why);
    expect(body.message).toContain('Nothing was charged.');
    // Nobody sees an answer in pieces that they do not pay.
    const streamed = String((await page.ask({ response_format: SCHEMA, stream: true })).body);
    expect(streamed).not.toContain('delta');
    expect(streamed).toContain(
      `{"type":"error","error":"provider_error","message":${JSON.stringify(body.message)}}`,
    );
    expect(await page.balance()).toBe(before);
  });

  test('calls of tools beside a schema are paid, and no answer yet', async () => {
    // Another visitor: each can ask only so often.
    const { ask, balance } = await open(quire);
    const both = { tools: [TOOL], response_format: SCHEMA };
    const calls = [{ name: 'weather', input: { city: 'Oslo' } }];
    const before = await balance();
    vendor.play([{ text: 'I look.', calls }]);
    const { body } = await ask(both);
    expect(body).toMatchObject({ content: 'I look.', tool_calls: calls });
    expect(body.data).toBeUndefined();
    expect(await balance()).toBeLessThan(before);
    vendor.play([{ text: 'I look.', calls }]);
    const streamed = String((await ask({ ...both, stream: true })).body);
    expect(streamed).toContain('{"type":"delta","content":"I look."}');
    expect(streamed).toContain('"type":"tool_call"');
    vendor.play([{ text: '{"title":"Tomato soup"}' }]);
    expect((await ask(both)).body.message).toContain('count is required');
  });

  test('an answer that fits is paid, and streamed in one piece', async () => {
    const before = await page.balance();
    const text = '{"title":"Tomato soup","count":3}';
    vendor.play([{ text }]);
    const streamed = String((await page.ask({ response_format: SCHEMA, stream: true })).body);
    expect(streamed.match(/"delta"/g)).toHaveLength(1);
    expect(streamed).toContain(`{"type":"delta","content":${JSON.stringify(text)}}`);
    expect(await page.balance()).toBeLessThan(before);
  });

  test('a model that the page chooses has its own price', async () => {
    const usage = { input: 20, output: 80 };
    const cost = async (model?: string) => {
      vendor.play([{ text: 'Hi', usage }]);
      const { body } = await page.ask({ maxTokens: 200, ...(model && { model }) });
      return body.credits?.deducted;
    };
    expect([await cost(), await cost('model-b'), await cost('model-c')]).toEqual([0.04, 0.4, 0.004]);
    expect(vendor.seen.slice(-3).map(({ body }) => body.model)).toEqual(['model-a', 'model-b', 'model-c']);
    const refused = await page.ask({ model: 'model-d' });
    expect(refused.body.message).toContain('model-a, model-b, model-c');
  });
});
