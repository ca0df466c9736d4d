import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import {
  type AspectRatio,
  type ChatRequest,
  createProviders,
  drawDemoImage,
  drawDemoImageByName,
} from '../index.ts';

const signal = new AbortController().signal;
const fetchExternal = () => Promise.reject(new Error('There is nothing to fetch.'));
const BASE = 'https://quire.example/demo/';
const create = () =>
  createProviders({
    ai: { provider: 'demo', url: undefined, key: undefined, model: undefined, visionModel: undefined },
    images: { url: undefined, key: undefined, model: undefined },
    imageSearch: { provider: 'demo', url: undefined },
    demoImageUrl: (name) => BASE + name,
  });

test('says for each part whether it is the demo', () => {
  expect(create().isDemo).toEqual({ chat: true, images: true, imageSearch: true });
});

describe('demo chat', () => {
  const ask = (options: Partial<ChatRequest> = {}) =>
    create().chat.chat({
      system: 'Be kind.',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      maxTokens: 1024,
      signal,
      ...options,
    });

  test('streams word by word, always the same, and says that it is the demo', async () => {
    const parts = await Array.fromAsync(ask());
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    expect(parts.length).toBeGreaterThan(10);
    expect(text).toContain('demo provider');
    expect(text).toContain('What is the capital of France?');
    expect(parts.at(-1)).toEqual({
      type: 'usage',
      inputTokens: Math.ceil('Be kind.What is the capital of France?'.length / 4),
      outputTokens: Math.ceil(text.length / 4),
    });
    expect(await Array.fromAsync(ask())).toEqual(parts);
  });

  test('works without messages', async () => {
    const text = JSON.stringify(await Array.fromAsync(ask({ messages: [] })));
    expect(text).toContain('demo');
    expect(text).toContain('kind.');
  });

  test('respects the output cap', async () => {
    const parts = await Array.fromAsync(ask({ maxTokens: 5 }));
    expect(parts.length).toBeGreaterThan(1);
    const usage = parts.at(-1);
    expect(usage?.type === 'usage' && usage.outputTokens).toBeLessThanOrEqual(5);
  });

  test('stops when the visitor disconnects', async () => {
    const visitor = new AbortController();
    let words = 0;
    const reading = (async () => {
      for await (const _ of ask({ signal: visitor.signal }))
        if (++words === 3) visitor.abort(new Error('gone'));
    })();
    await expect(reading).rejects.toThrow('gone');
    expect(words).toBe(3);
  });
});

describe('demo images', () => {
  const SIZES: Array<[AspectRatio, width: number, height: number]> = [
    ['1:1', 1024, 1024],
    ['16:9', 1280, 720],
    ['9:16', 720, 1280],
    ['4:3', 1152, 864],
    ['3:4', 864, 1152],
  ];
  for (const [aspectRatio, width, height] of SIZES) {
    test(`are PNGs of ${aspectRatio}`, async () => {
      const bytes = await create().images.generate({ prompt: 'fox', aspectRatio, signal, fetchExternal });
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width, height });
    });
  }

  test('depend only on the prompt', async () => {
    const draw = (prompt: string) =>
      create().images.generate({ prompt, aspectRatio: '1:1', signal, fetchExternal });
    const [fox, again, owl] = [await draw('fox'), await draw('fox'), await draw('owl')];
    expect(Buffer.compare(fox, again)).toBe(0);
    expect(Buffer.compare(fox, owl)).not.toBe(0);
    expect((await sharp(fox).stats()).channels.some((channel) => channel.stdev > 10)).toBe(true);
  });

  test('accept any prompt', async () => {
    const prompt = '</svg><image href="file:///etc/passwd"/>\u0000 & "';
    const bytes = await create().images.generate({ prompt, aspectRatio: '1:1', signal, fetchExternal });
    expect((await sharp(bytes).metadata()).format).toBe('png');
  });
});

test('demo vision returns the real size, format and main colours', async () => {
  const left = { create: { width: 20, height: 30, channels: 3 as const, background: '#1040d0' } };
  const bytes = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#d02020' } })
    .composite([{ input: left, left: 0, top: 0 }])
    .jpeg()
    .toBuffer();
  const text = await create().vision.describe({
    prompt: 'What is it?',
    image: { bytes, contentType: 'image/png' },
    signal,
  });
  expect(text).toContain('demo');
  expect(text).toContain('JPEG of 60 x 30 pixels');
  expect(text).toContain('red, blue');
  expect(text).toContain('What is it?');
});

test('demo vision fails with the same message as others', async () => {
  const image = { bytes: new Uint8Array([1, 2, 3]), contentType: 'image/png' };
  const work = create().vision.describe({ prompt: 'x', image, signal });
  await expect(work).rejects.toMatchObject({ kind: 'failed', message: 'The provider could not answer.' });
});

describe('demo image search', () => {
  const find = (query: string, count: number) => create().imageSearch.search({ query, count, signal });

  test('returns as many as requested, named as demo, always the same', async () => {
    const found = await find('red fox', 10);
    expect(found).toHaveLength(10);
    expect(new Set(found.map((image) => image.thumbnail)).size).toBe(10);
    expect(found[0]).toMatchObject({ title: 'red fox (demo picture 1)', source: 'Quire demo' });
    expect(await find('red fox', 10)).toEqual(found);
    expect(await find('red fox', 1)).toEqual(found.slice(0, 1));
  });

  test('has an image of the stated size at every URL', async () => {
    const found = await find('red fox', 2);
    for (const [index, { thumbnail, width, height }] of found.entries()) {
      expect(thumbnail).toStartWith(BASE);
      const bytes = (await drawDemoImageByName(thumbnail.slice(BASE.length))) ?? new Uint8Array();
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width, height });
      expect(Buffer.compare(bytes, await drawDemoImage('red fox', index))).toBe(0);
    }
  });

  test('returns nothing for other names', async () => {
    for (const name of [
      '',
      'x.png',
      '0123456789abcdef-20.png',
      '0123456789abcdef-1.png/..',
      '../0123456789abcdef-1.png',
    ]) {
      expect(await drawDemoImageByName(name)).toBeUndefined();
    }
  });
});
