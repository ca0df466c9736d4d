import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  type Behaviour,
  PIXEL,
  startVendors,
  VENDOR_WORDS,
  type Vendors,
} from '../../../test/support/agents/vendors.ts';
import {
  type AspectRatio,
  createProviders,
  type FetchPublic,
  ProviderError,
  type ProviderSettings,
} from './index.ts';
import { MAX_IMAGE_BYTES } from './openai/images.ts';

const KEY = 'sk-very-secret-key';
/** Long enough for a request to arrive on a busy machine. */
const LATE = { callMs: 300 };
let vendors: Vendors;

beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.stop());
beforeEach(() => {
  vendors.behave('well');
  vendors.seen.length = 0;
});

type Search = 'openverse' | 'commons';
type Options = Pick<ProviderSettings, 'deadlines' | 'baseUrl'> & { search?: Search; model?: string };

const create = ({ search = 'openverse', model = 'flux', ...options }: Options = {}) =>
  createProviders({
    ai: { provider: 'demo', url: undefined, key: undefined, model: undefined, visionModel: undefined },
    images: { url: vendors.urls.images, key: KEY, model },
    imageSearch: { provider: search, url: vendors.urls[search] },
    demoImageUrl: (name) => name,
    ...options,
  });
const signal = new AbortController().signal;
/** The egress of a server: it reaches public addresses only. */
const fetchExternal: FetchPublic = async (address) => {
  if (address !== 'https://public.example/made.png') throw new Error('it is not a public address');
  return { status: 200, bytes: PIXEL };
};
const generate = (options?: Options, aspectRatio: AspectRatio = '1:1') =>
  create(options).images.generate({ prompt: 'A red fox', aspectRatio, signal, fetchExternal });
const find = (options?: Options, count = 10) =>
  create(options).imageSearch.search({ query: 'red fox & friends', count, signal });

const CALLS = {
  images: generate,
  openverse: (options?: Options) => find({ ...options, search: 'openverse' }),
  commons: (options?: Options) => find({ ...options, search: 'commons' }),
};

for (const [name, call] of Object.entries(CALLS)) {
  describe(`a failing provider of ${name}`, () => {
    const FAILURES: Array<[name: string, Behaviour, kind: string, message: string]> = [
      ['401', { status: 401 }, 'failed', 'The provider does not accept this server.'],
      ['400', { status: 400 }, 'failed', 'The provider refused this request.'],
      ['429', { status: 429 }, 'failed', 'The provider is too busy. Try again later.'],
      ['500', { status: 500 }, 'failed', 'The provider could not answer.'],
      ['garbage', 'garbage', 'failed', 'The provider could not answer.'],
      ['other JSON', { json: { error: { info: VENDOR_WORDS } } }, 'failed', 'The provider could not answer.'],
      ['null', { json: null }, 'failed', 'The provider could not answer.'],
      ['half an answer', 'cut', 'failed', 'The provider could not answer.'],
      ['nothing at all', 'silence', 'timeout', 'The provider did not answer in time.'],
      [
        'half an answer and nothing more',
        'silence midway',
        'timeout',
        'The provider did not answer in time.',
      ],
    ];
    for (const [what, behaviour, kind, message] of FAILURES) {
      test(`${what} is ${kind}, requested once, without the text of the provider or the key`, async () => {
        vendors.behave(behaviour);
        const error = await expectFailure(call(kind === 'timeout' ? { deadlines: LATE } : {}));
        expect(error).toMatchObject({ kind, message });
        expect(vendors.seen).toHaveLength(1);
        const shown = Bun.inspect(error, { depth: 10 });
        expect(shown).not.toContain(VENDOR_WORDS);
        expect(shown).not.toContain(KEY);
      });
    }
  });
}

describe('image generation', () => {
  test('requests one image with key, model and prompt, and returns its bytes', async () => {
    expect(Buffer.from(await generate())).toEqual(PIXEL);
    expect(vendors.seen).toMatchObject([
      {
        method: 'POST',
        path: '/v1/images/generations',
        headers: { authorization: `Bearer ${KEY}` },
        body: { model: 'flux', prompt: 'A red fox', n: 1, size: '1024x1024' },
      },
    ]);
  });

  const SIZES: Array<[model: string, AspectRatio, size: string]> = [
    ['flux', '16:9', '1344x768'],
    ['flux', '9:16', '768x1344'],
    ['flux', '4:3', '1152x896'],
    ['flux', '3:4', '896x1152'],
    ['gpt-image-1', '16:9', '1536x1024'],
    ['gpt-image-1', '3:4', '1024x1536'],
    ['dall-e-3', '16:9', '1792x1024'],
    ['dall-e-3', '9:16', '1024x1792'],
  ];
  for (const [model, aspectRatio, size] of SIZES) {
    test(`${model} draws ${aspectRatio} at ${size}`, async () => {
      await generate({ model }, aspectRatio);
      expect(vendors.seen[0]?.body).toMatchObject({ model, size });
    });
  }

  test('downloads an image that is given as a URL, without the key', async () => {
    vendors.serve('/made.png', PIXEL);
    vendors.behave({ json: { data: [{ url: `${vendors.urls.root}/made.png` }] } });
    expect(Buffer.from(await generate())).toEqual(PIXEL);
    expect(vendors.fetched.map((request) => request.path)).toEqual(['/made.png']);
    expect(vendors.fetched[0]?.headers.authorization).toBeUndefined();
  });

  test('downloads an image of another server only through the egress', async () => {
    const elsewhere = await startVendors();
    elsewhere.serve('/secret.png', PIXEL);
    for (const url of [`${elsewhere.urls.root}/secret.png`, 'http://169.254.169.254/latest']) {
      vendors.behave({ json: { data: [{ url }] } });
      expect(await expectFailure(generate())).toMatchObject({ kind: 'failed' });
    }
    expect(elsewhere.fetched).toEqual([]);
    vendors.behave({ json: { data: [{ url: 'https://public.example/made.png' }] } });
    expect(Buffer.from(await generate())).toEqual(PIXEL);
    await elsewhere.stop();
  });

  test('follows no redirect, neither to an image nor to the results of a search', async () => {
    const elsewhere = await startVendors();
    elsewhere.serve('/secret.png', PIXEL);
    const target = `${elsewhere.urls.root}/secret.png`;
    const redirecting = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ method, url }) =>
        method === 'POST'
          ? Response.json({ data: [{ url: new URL('/made.png', url).href }] })
          : Response.redirect(target),
    });
    const url = String(redirecting.url);
    const providers = createProviders({
      ai: { provider: 'demo', url: undefined, key: undefined, model: undefined, visionModel: undefined },
      images: { url, key: KEY, model: 'flux' },
      imageSearch: { provider: 'openverse', url },
      demoImageUrl: (name) => name,
    });
    const { images, imageSearch } = providers;
    const wish = { prompt: 'x', aspectRatio: '1:1' as const, signal, fetchExternal };
    await expectFailure(images.generate(wish));
    await expectFailure(imageSearch.search({ query: 'x', count: 1, signal }));
    expect([...elsewhere.seen, ...elsewhere.fetched]).toEqual([]);
    await redirecting.stop(true);
    await elsewhere.stop();
  });

  test('has a timeout for an image that is given as a URL', async () => {
    vendors.serve('/never.png', 'silence');
    vendors.behave({ json: { data: [{ url: `${vendors.urls.root}/never.png` }] } });
    const hungUp = vendors.nextHangUp();
    expect(await expectFailure(generate({ deadlines: LATE }))).toMatchObject({ kind: 'timeout' });
    await hungUp;
  });

  test('accepts an image at the limit and refuses one byte more, in both ways', async () => {
    const most = Buffer.alloc(MAX_IMAGE_BYTES, 7);
    const over = Buffer.alloc(MAX_IMAGE_BYTES + 1, 7);
    vendors.serve('/most', most);
    vendors.serve('/over', over);
    const answers = (bytes: Buffer, path: string) => [
      { b64_json: bytes.toString('base64') },
      { url: vendors.urls.root + path },
    ];
    for (const answer of answers(most, '/most')) {
      vendors.behave({ json: { data: [answer] } });
      expect((await generate()).byteLength).toBe(MAX_IMAGE_BYTES);
    }
    for (const answer of answers(over, '/over')) {
      vendors.behave({ json: { data: [answer] } });
      expect(await expectFailure(generate())).toMatchObject({ kind: 'failed' });
    }
  });

  const NO_PICTURES: unknown[] = [
    { data: [] },
    { data: [{}] },
    { data: [{ b64_json: '' }] },
    { data: [{ b64_json: 'not base64!' }] },
    { data: [{ url: 'file:///etc/passwd' }] },
    { data: [{ url: 'data:image/png;base64,AAAA' }] },
    { data: [{ url: 'made.png' }] },
  ];
  for (const json of NO_PICTURES) {
    test(`${JSON.stringify(json)} is not an image`, async () => {
      vendors.behave({ json });
      expect(await expectFailure(generate())).toMatchObject({ kind: 'failed' });
    });
  }

  test('a visitor who disconnects stops the provider', async () => {
    vendors.behave('silence midway');
    const visitor = new AbortController();
    const hungUp = vendors.nextHangUp();
    const arrived = vendors.nextRequest();
    const making = create().images.generate({
      prompt: 'x',
      aspectRatio: '1:1',
      signal: visitor.signal,
      fetchExternal,
    });
    making.catch(() => undefined);
    await arrived;
    visitor.abort(new Error('gone'));
    await expect(making).rejects.toThrow('gone');
    await hungUp;
  });
});

describe('Openverse', () => {
  test('returns results in the shape of the contract, without those that have no HTTPS URL', async () => {
    const found = await find({ baseUrl: 'https://quire.example' });
    expect(found.map((image) => image.title)).toEqual([
      ...['Picture 0', 'Untitled', 'Picture 3', 'Picture 4', 'Picture 5'],
      ...['Picture 6', 'Picture 7', 'Picture 8', 'Picture 9', 'Picture 10'],
    ]);
    expect(found[0]).toEqual({
      title: 'Picture 0',
      thumbnail: 'https://openverse.example/0/thumb/',
      original: 'https://photos.example/0.jpg',
      source: 'flickr',
      link: 'https://photos.example/pages/0',
      width: 800,
      height: 600,
    });
    expect(found[2]).toMatchObject({ width: 0, height: 0 });
    expect(vendors.seen[0]?.query.get('q')).toBe('red fox & friends');
    expect(vendors.seen[0]?.headers['user-agent']).toMatch(/^Quire\/\S+ \(\+https:\/\/quire\.example\)$/);
  });
});

describe('Wikimedia Commons', () => {
  test('returns results in the shape of the contract and the order of the search', async () => {
    const found = await find({ search: 'commons' }, 3);
    expect(found.map((image) => image.title)).toEqual(['Picture 0', 'Picture 2', 'Picture 3']);
    expect(found[0]).toEqual({
      title: 'Picture 0',
      thumbnail: 'https://upload.example/330px-0.jpg',
      original: 'https://upload.example/0.jpg',
      source: 'Wikimedia Commons',
      link: 'https://commons.example/wiki/File:0.jpg',
      width: 800,
      height: 600,
    });
    const { query, headers } = vendors.seen[0] ?? {};
    expect(query?.get('gsrsearch')).toContain('red fox & friends');
    expect(query?.get('generator')).toBe('search');
    expect(headers?.['user-agent']).toMatch(/^Quire\//);
  });

  test('a response without a query is an empty list', async () => {
    vendors.behave({ json: { batchcomplete: true } });
    expect(await find({ search: 'commons' })).toEqual([]);
  });
});

for (const search of ['openverse', 'commons'] as const) {
  test(`${search} returns as many results as requested`, async () => {
    for (const count of [1, 10]) expect(await find({ search }, count)).toHaveLength(count);
  });
}

async function expectFailure(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}
