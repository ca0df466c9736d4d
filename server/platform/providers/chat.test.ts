import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import {
  ANSWER,
  type Behaviour,
  startVendors,
  VENDOR_WORDS,
  type Vendors,
} from '../../../test/support/agents/vendors.ts';
import {
  type ChatPart,
  type ChatRequest,
  createProviders,
  ProviderError,
  type ProviderSettings,
} from './index.ts';
import { nameOutputCap } from './openai-compatible.ts';

/** One suite for both providers: a caller must not notice which of them responds. */

const KEY = 'sk-very-secret-key';
/** Long enough for a request to arrive on a busy machine, which some tests need. */
const SHORT = { chatIdleMs: 300, chatTotalMs: 20_000, callMs: 300 };
let vendors: Vendors;

beforeAll(async () => {
  vendors = await startVendors();
  // The SDK loads on first use, which must not count towards the deadline of a test.
  await Promise.all([import('./openai-compatible.ts'), import('./anthropic.ts')]);
});
afterAll(() => vendors.stop());
beforeEach(() => {
  vendors.behave('well');
  vendors.seen.length = 0;
});

test('an endpoint without a key gets none', async () => {
  const providers = createProviders({
    ai: {
      provider: 'openai-compatible',
      url: vendors.urls.chat,
      key: undefined,
      model: 'm',
      visionModel: 'm',
    },
    images: { url: undefined, key: undefined, model: undefined },
    imageSearch: { provider: 'demo', url: undefined },
    demoImageUrl: (name) => name,
  });
  expect(await readVision(providers)).toBe(ANSWER.join(''));
  expect(vendors.seen[0]?.headers.authorization).toBeUndefined();
});

test('the output cap has another name at OpenAI itself', () => {
  const body = { model: 'm', max_tokens: 5 };
  expect(nameOutputCap('https://api.openai.com/v1', body)).toEqual({ model: 'm', max_completion_tokens: 5 });
  expect(nameOutputCap('https://llm.example/v1', body)).toEqual(body);
});

for (const provider of ['openai-compatible', 'anthropic'] as const) {
  const create = (options: Partial<ProviderSettings> = {}) =>
    createProviders({
      ai: { provider, url: vendors.urls.chat, key: KEY, model: 'model-a', visionModel: 'model-b' },
      images: { url: undefined, key: undefined, model: undefined },
      imageSearch: { provider: 'demo', url: undefined },
      demoImageUrl: (name) => name,
      ...options,
    });
  const ask = (options: Partial<ChatRequest> = {}): ChatRequest => ({
    system: 'Be kind.',
    messages: [{ role: 'user', content: 'Good morning' }],
    maxTokens: 77,
    signal: new AbortController().signal,
    ...options,
  });

  describe(`chat with ${provider}`, () => {
    test('streams the words and ends with the usage of the provider', async () => {
      const parts = await Array.fromAsync(create().chat.chat(ask()));
      expect(parts).toEqual([
        ...ANSWER.map((text): ChatPart => ({ type: 'text', text })),
        { type: 'usage', inputTokens: 21, outputTokens: 7 },
      ]);
    });

    test('sends model, key, output cap, system and messages, once', async () => {
      await Array.fromAsync(create().chat.chat(ask()));
      expect(vendors.seen).toHaveLength(1);
      const { headers, body } = vendors.seen[0] ?? {};
      expect(`${headers?.authorization} ${headers?.['x-api-key']}`).toContain(KEY);
      expect(body).toMatchObject({ model: 'model-a', max_tokens: 77, stream: true });
      expect(JSON.stringify(body)).toContain('Be kind.');
      expect(JSON.stringify(body)).toContain('Good morning');
    });

    test('without messages sends the instructions alone', async () => {
      await Array.fromAsync(create().chat.chat(ask({ messages: [] })));
      expect(vendors.seen[0]?.body).toMatchObject({ messages: [{ role: 'user' }] });
      expect(JSON.stringify(vendors.seen[0]?.body)).toContain('Be kind.');
    });

    const FAILURES: Array<[name: string, Behaviour, kind: string, message: string]> = [
      ['401', { status: 401 }, 'failed', 'The provider does not accept this server.'],
      ['400', { status: 400 }, 'failed', 'The provider refused this request.'],
      ['429', { status: 429 }, 'failed', 'The provider is too busy. Try again later.'],
      ['500', { status: 500 }, 'failed', 'The provider could not answer.'],
      ['garbage', 'garbage', 'failed', 'The provider could not answer.'],
      ['half a stream and an end', 'half', 'failed', 'The provider could not answer.'],
      ['half a stream and a cut', 'cut', 'failed', 'The provider could not answer.'],
      ['half a stream and an error', 'error midway', 'failed', 'The provider could not answer.'],
      ['nothing at all', 'silence', 'timeout', 'The provider did not answer in time.'],
      ['half a stream and nothing more', 'silence midway', 'timeout', 'The provider did not answer in time.'],
    ];
    for (const [name, behaviour, kind, message] of FAILURES) {
      test(`${name} is ${kind}, requested once, without the text of the provider or the key`, async () => {
        vendors.behave(behaviour);
        using printed = spyOn(console, 'error');
        for (const read of [readChat, readVision]) {
          vendors.seen.length = 0;
          const error = await expectFailure(read(create(kind === 'timeout' ? { deadlines: SHORT } : {})));
          expect(error).toMatchObject({ kind, message });
          expect(vendors.seen).toHaveLength(1);
          expectNoSecrets(error);
        }
        expect(printed).not.toHaveBeenCalled();
      });
    }

    test('a chat that never ends is cut off', async () => {
      vendors.behave('silence midway');
      const deadlines = { ...SHORT, chatIdleMs: 20_000, chatTotalMs: 300 };
      const error = await expectFailure(readChat(create({ deadlines })));
      expect(error).toMatchObject({ kind: 'timeout' });
    });

    test('an address where nothing listens is a failure', async () => {
      const gone = await startVendors();
      await gone.stop();
      const ai = { provider, url: gone.urls.chat, key: KEY, model: 'm', visionModel: 'm' };
      const error = await expectFailure(readChat(create({ ai })));
      expect(error).toMatchObject({ kind: 'failed', message: 'The provider could not answer.' });
      expectNoSecrets(error);
    });

    const FIGURES: Array<[name: string, input: unknown, output: unknown, read: [number, number]]> = [
      ['enormous', 1e300, 1_000_000_001, [1_000_000_000, 1_000_000_000]],
      ['the largest possible', 1_000_000_000, 999_999_999, [1_000_000_000, 999_999_999]],
      ['negative', -5, -1e300, [0, 0]],
      ['broken', 20.9, 6.2, [20, 6]],
      ['non-numeric (estimated)', 'many', { a: 1 }, [5, 6]],
      ['null (estimated)', null, null, [5, 6]],
      ['half missing (estimated)', undefined, 7, [5, 7]],
    ];
    for (const [name, input, output, [inputTokens, outputTokens]] of FIGURES) {
      test(`${name} usage becomes whole numbers that can be charged`, async () => {
        vendors.behave({ usage: { input, output } });
        const parts = await Array.fromAsync(create().chat.chat(ask()));
        expect(parts.filter((part) => part.type === 'text')).toHaveLength(ANSWER.length);
        expect(parts.at(-1)).toEqual({ type: 'usage', inputTokens, outputTokens });
      });
    }

    test('missing usage is estimated from the text', async () => {
      vendors.behave({ usage: undefined });
      const parts = await Array.fromAsync(create().chat.chat(ask()));
      expect(parts.at(-1)).toEqual({ type: 'usage', inputTokens: 5, outputTokens: 6 });
    });

    test('a visitor who disconnects stops the provider, and gets their own reason back', async () => {
      vendors.behave('silence midway');
      const visitor = new AbortController();
      const hungUp = vendors.nextHangUp();
      const texts: string[] = [];
      const reading = (async () => {
        for await (const part of create().chat.chat(ask({ signal: visitor.signal }))) {
          if (part.type === 'text') texts.push(part.text);
          if (texts.length === 2) visitor.abort(new Error('gone'));
        }
      })();
      await expect(reading).rejects.toThrow('gone');
      await hungUp;
      expect(texts).toEqual(ANSWER.slice(0, 2));
    });

    test('a reader who stops early stops the provider', async () => {
      vendors.behave('silence midway');
      const hungUp = vendors.nextHangUp();
      for await (const part of create().chat.chat(ask())) if (part.type === 'text') break;
      await hungUp;
    });

    test('a deadline stops the provider', async () => {
      vendors.behave('silence');
      const hungUp = vendors.nextHangUp();
      await expectFailure(readVision(create({ deadlines: SHORT })));
      await hungUp;
    });

    test('no request is sent for a visitor who has already left', async () => {
      await expect(
        Array.fromAsync(create().chat.chat(ask({ signal: AbortSignal.abort(new Error('gone')) }))),
      ).rejects.toThrow('gone');
      expect(vendors.seen).toHaveLength(0);
    });

    test('vision sends the image to its own model and returns the text', async () => {
      expect(await readVision(create())).toBe(ANSWER.join(''));
      const body = JSON.stringify(vendors.seen[0]?.body);
      expect(body).toContain('"model-b"');
      expect(body).toContain('image/png');
      expect(body).toContain(Buffer.from([1, 2, 3]).toString('base64'));
      expect(body).toContain('What is it?');
      expect(body).toContain('max_tokens');
    });

    test('vision ignores usage that is not a number', async () => {
      vendors.behave({ usage: { input: 'many', output: 'more' } });
      expect(await readVision(create())).toBe(ANSWER.join(''));
    });

    function readChat(providers: ReturnType<typeof create>): Promise<unknown> {
      return Array.fromAsync(providers.chat.chat(ask()));
    }
  });
}

function readVision({ vision }: ReturnType<typeof createProviders>): Promise<string> {
  const image = { bytes: new Uint8Array([1, 2, 3]), contentType: 'image/png' };
  return vision.describe({ prompt: 'What is it?', image, signal: new AbortController().signal });
}

async function expectFailure(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

/** Looks where a log would: at every message, stack and field of the whole chain of errors. */
function expectNoSecrets(error: ProviderError): void {
  const shown = Bun.inspect(error, { depth: 10 });
  for (let link: unknown = error; link instanceof Error; link = link.cause) {
    expect(link.message + link.stack + shown + JSON.stringify(link)).not.toMatch(
      new RegExp(`${VENDOR_WORDS}|${KEY}|customer`),
    );
  }
  if (error.kind === 'failed') expect(error.cause).toBeInstanceOf(Error);
}
