import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type SeenTurn, startToolVendor, type ToolVendor } from '../../../test/support/agents/tool-vendor.ts';
import { createProviders, ProviderError, type Providers, type TurnProvider } from './index.ts';
import { isOpenAi } from './openai-compatible.ts';
import { createSdkChat } from './sdk-stream.ts';

/** One suite for both providers: a caller must not notice which of them responds. */

let vendor: ToolVendor;

beforeAll(async () => {
  vendor = await startToolVendor();
  await Promise.all([import('./openai-compatible.ts'), import('./anthropic.ts')]);
});
afterAll(() => vendor.stop());
beforeEach(() => {
  vendor.seen.length = 0;
});

type Request = Parameters<TurnProvider['turn']>[0];

function create(provider: 'openai-compatible' | 'anthropic' | 'demo'): Providers {
  return createProviders({
    ai: { provider, url: vendor.url, key: 'sk-secret', model: 'model-a', visionModel: undefined },
    images: { url: undefined, key: undefined, model: undefined },
    imageSearch: { provider: 'demo', url: undefined },
    demoImageUrl: (name) => name,
    deadlines: { chatIdleMs: 5_000 },
  });
}

function requireTurns(provider: 'openai-compatible' | 'anthropic'): TurnProvider {
  const { turns } = create(provider);
  if (typeof turns === 'string') throw new Error('this provider has tools');
  return turns;
}

const ask = (options: Partial<Request> = {}): Request => ({
  system: 'Build pages.',
  messages: [{ role: 'user', content: 'A page about bees' }],
  tools: [
    {
      name: 'save',
      description: 'Saves text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  ],
  maxTokens: 900,
  signal: new AbortController().signal,
  ...options,
});

test('the demo provider says that it has no tools', () => {
  expect(create('demo').turns).toBe('demo provider');
});

describe('a chat with tools and a schema of the answer', () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
  const chat = async (provider: 'openai-compatible' | 'anthropic', model: string) => {
    const parts = await Array.fromAsync(
      create(provider).chat.chat({ ...ask(), model, responseFormat: schema }),
    );
    const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const calls = parts.flatMap((part) => (part.type === 'tool call' ? [part.call.name] : []));
    const [{ body: sent }] = vendor.seen.slice(-1) as [SeenTurn];
    return { said, calls, sent };
  };
  const answer = { title: 'Bees' };

  test('tells most models in words how to answer, because they would call no tool otherwise', async () => {
    vendor.play([{ calls: [{ name: 'save', input: {} }] }]);
    const first = await chat('openai-compatible', 'model-a');
    expect(first.calls).toEqual(['save']);
    expect(first.sent.response_format).toBeUndefined();
    expect(first.sent.tools).toHaveLength(1);
    expect(JSON.stringify(first.sent.messages)).toContain(
      JSON.stringify(JSON.stringify(schema)).slice(1, -1),
    );
    vendor.play([{ text: JSON.stringify(answer) }]);
    expect(JSON.parse((await chat('openai-compatible', 'model-a')).said)).toEqual(answer);
  });

  test('gives models that can do both the schema beside the tools', async () => {
    const open = (model: string) => (fetch: typeof globalThis.fetch) =>
      createOpenAICompatible({ name: 'vendor', baseURL: vendor.url, supportsStructuredOutputs: true, fetch })(
        model,
      );
    const options = { model: 'model-a', visionModel: 'model-a', hasToolsBesideFormat: true };
    vendor.play([{ text: JSON.stringify(answer) }]);
    await Array.fromAsync(createSdkChat(open, options).chat({ ...ask(), responseFormat: schema }));
    const [{ body }] = vendor.seen as [SeenTurn];
    expect(body.response_format).toMatchObject({ json_schema: { schema } });
    expect(body.tools).toHaveLength(1);
    expect(isOpenAi('https://api.openai.com/v1')).toBe(true);
    expect(isOpenAi('http://127.0.0.1:11434/v1')).toBe(false);
  });

  test('works with new models of Anthropic, and with those that answer by a tool', async () => {
    vendor.play([{ text: JSON.stringify(answer) }]);
    const native = await chat('anthropic', 'claude-sonnet-4-5');
    expect(JSON.parse(native.said)).toEqual(answer);
    expect(native.sent.output_config).toMatchObject({ format: { type: 'json_schema' } });
    expect(native.sent.tools).toHaveLength(1);
    vendor.play([{ text: 'Here it is.', calls: [{ name: 'json', input: answer }] }]);
    const byTool = await chat('anthropic', 'model-a');
    expect(JSON.parse(byTool.said)).toEqual(answer);
    expect(byTool.calls).toEqual([]);
    vendor.play([{ calls: [{ name: 'save', input: {} }] }]);
    expect(await chat('anthropic', 'model-a')).toMatchObject({ said: '', calls: ['save'] });
  });
});

for (const provider of ['openai-compatible', 'anthropic'] as const) {
  describe(`a turn with ${provider}`, () => {
    const text = 'A "quoted" text, longer than one piece: äöü 🐝';

    test('streams text and calls whose arguments arrive in pieces, and ends with the usage', async () => {
      vendor.play([{ text: 'I save it.', calls: [{ name: 'save', input: { text } }] }]);
      const parts = await Array.fromAsync(requireTurns(provider).turn(ask()));
      const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      expect(said).toBe('I save it.');
      const inputs = parts.flatMap((part) => (part.type === 'tool input' ? [part] : []));
      expect(inputs.length).toBeGreaterThan(2);
      expect(inputs.map((part) => part.text).join('')).toBe(JSON.stringify({ text }));
      expect(new Set(inputs.map(({ id }) => id))).toEqual(new Set(['call_0']));
      expect(parts.filter(({ type }) => type !== 'text' && type !== 'tool input')).toEqual([
        { type: 'tool started', id: 'call_0', name: 'save' },
        { type: 'tool call', call: { id: 'call_0', name: 'save', input: { text } } },
        { type: 'usage', inputTokens: 100, outputTokens: 20 },
      ]);
    });

    test('sends tools, output cap and what was called before', async () => {
      vendor.play([{ text: 'Done.' }]);
      const call = { id: 'call_0', name: 'save', input: { text } };
      const messages: Request['messages'] = [
        { role: 'user', content: 'A page about bees' },
        { role: 'assistant', content: '', calls: [call, { id: 'call_1', name: 'save', input: undefined }] },
        {
          role: 'tool',
          results: [
            { id: 'call_0', name: 'save', content: 'It is saved.' },
            { id: 'call_1', name: 'save', content: 'The arguments are not valid.' },
          ],
        },
      ];
      await Array.fromAsync(requireTurns(provider).turn(ask({ messages })));
      expect(vendor.seen).toHaveLength(1);
      const { body } = vendor.seen[0] ?? {};
      expect(body).toMatchObject({ model: 'model-a', max_tokens: 900, stream: true });
      const sent = JSON.stringify(body);
      for (const part of ['Saves text.', 'call_0', 'It is saved.', 'The arguments are not valid.'])
        expect(sent).toContain(part);
    });

    test('hands over arguments that are not a JSON object as undefined', async () => {
      for (const input of ['{"text": "cut of', '[1]', '"text"']) {
        vendor.play([{ calls: [{ name: 'save', input }] }]);
        const parts = await Array.fromAsync(requireTurns(provider).turn(ask()));
        const call = parts.find(({ type }) => type === 'tool call');
        expect(call).toEqual({ type: 'tool call', call: { id: 'call_0', name: 'save', input: undefined } });
      }
    });

    test('hands over calls of tools that were not offered', async () => {
      vendor.play([{ calls: [{ name: 'delete_page', input: { id: 1 } }] }]);
      const parts = await Array.fromAsync(requireTurns(provider).turn(ask()));
      expect(parts).toContainEqual({
        type: 'tool call',
        call: { id: 'call_0', name: 'delete_page', input: { id: 1 } },
      });
    });

    test('fails if the stream ends in the middle', async () => {
      vendor.play([{ text: 'I save it.', calls: [{ name: 'save', input: { text } }], ends: 'half' }]);
      const reading = Array.fromAsync(requireTurns(provider).turn(ask()));
      await expect(reading).rejects.toThrow('The provider could not answer.');
    });

    test('fails once, without another try, if the vendor is busy', async () => {
      vendor.play([{ status: 429 }]);
      const reading = Array.fromAsync(requireTurns(provider).turn(ask()));
      await expect(reading).rejects.toBeInstanceOf(ProviderError);
      expect(vendor.seen).toHaveLength(1);
    });

    test('cuts off a vendor that sends far more than was requested', async () => {
      const input = { text: 'x'.repeat(5_000) };
      vendor.play([{ calls: [{ name: 'save', input }] }]);
      const reading = Array.fromAsync(requireTurns(provider).turn(ask({ maxTokens: 10 })));
      await expect(reading).rejects.toBeInstanceOf(ProviderError);
    });

    test('takes the longest tokens that there are', async () => {
      const spaces = ' '.repeat(128 * 30);
      vendor.play([{ text: spaces, usage: { input: 5, output: 30 } }]);
      const parts = await Array.fromAsync(requireTurns(provider).turn(ask({ maxTokens: 30 })));
      expect(parts.at(-1)).toEqual({ type: 'usage', inputTokens: 5, outputTokens: 30 });
    });

    test('cuts off a vendor that thinks without end, or calls without end', async () => {
      const calls = Array.from({ length: 60 }, () => ({ name: 'a', input: {} }));
      for (const turn of [{ reasoning: 'x'.repeat(5_000) }, { calls }]) {
        vendor.play([turn]);
        const reading = Array.fromAsync(requireTurns(provider).turn(ask({ maxTokens: 30 })));
        await expect(reading).rejects.toBeInstanceOf(ProviderError);
      }
    });

    test('hangs up when the caller cancels', async () => {
      vendor.play([{ text: 'A long text that never ends', ends: 'silence' }]);
      const caller = new AbortController();
      const hangUp = vendor.nextHangUp();
      const reading = (async () => {
        for await (const part of requireTurns(provider).turn(ask({ signal: caller.signal })))
          if (part.type === 'text') caller.abort(new Error('gone'));
      })();
      await expect(reading).rejects.toThrow('gone');
      await hangUp;
    });
  });
}
