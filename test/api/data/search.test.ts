import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** What a search of a collection finds, on both engines. */

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const FIELDS = {
  title: { type: 'string' },
  tags: { type: 'array', items: { type: 'string' } },
  about: { type: 'object', properties: { place: { type: 'string' } } },
  secret: { type: 'string' },
};
const SCHEMA = { fields: FIELDS, search: ['title', 'tags', 'about.place'] };
const base = ({ id }: PublishedPage, rest = '') => `/api/pages/${id}/social-data/notes${rest}`;

interface Found {
  total: number;
  hasMore: boolean;
  records: Array<{ id: string; data: { title: string }; marks?: unknown }>;
}

async function publish(schema: object = SCHEMA): Promise<PublishedPage> {
  const page = await owner.publish({ storage_mode: 'social_app' });
  const { status } = await owner.call('PUT', base(page, '/schema'), { body: { schema } });
  expect(status).toBe(200);
  await waitUntil(async () => {
    const { body } = await owner.call('GET', base(page, '/schema'));
    return body.search?.state === 'ready';
  });
  return page;
}

async function add(page: PublishedPage, data: object[]): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < data.length; from += 100) {
    const operations = data.slice(from, from + 100).map((each) => ({ op: 'create', data: each }));
    const { status, body } = await owner.call('POST', base(page, '/batch'), { body: { operations } });
    expect(status).toBe(200);
    ids.push(...body.results.map(({ record }: { record: { id: string } }) => record.id));
  }
  return ids;
}

const list = async (page: PublishedPage, query: Record<string, string>, by = owner) =>
  (await by.call('GET', base(page, `?${new URLSearchParams(query)}`))).body as Found;
const titles = async (page: PublishedPage, q: string) =>
  (await list(page, { q })).records.map(({ data }) => data.title).reverse();

const TEXTS = [
  'Müller grüßt aus München',
  'Mueller writes well-known songs',
  "L'été à Noël, déjà vu",
  'İSTANBUL ve Iğdır, ıspanak',
  '東京都は日本の首都です',
  '京都の寺 ラーメン',
  'Party 🎉 for 👩‍💻 in 🇩🇪',
  'Pi is 3.14, not 3.41',
  'Mail to anna.smith@example.com',
  'ΟΔΟΣ Ёлка Ünïcödé',
  'Donau\u00addampf ＡＢＣ ﾗｰﾒﾝ',
  '서울 한국어 नमस्ते',
  'tomato soup and tomatoes',
  'soup of tomato NEAR title:x AND',
  'قَهْوَة عربية إلى الآن',
  'שָׁלוֹם עולם צה״ל',
  "rock'n'roll O’Neill 1984",
  'STRASSE coŀlecció',
  'Straße col·lecció',
];
const at = (...places: number[]) => places.map((place) => TEXTS[place] as string);

describe('words', () => {
  let page: PublishedPage;
  beforeAll(async () => {
    page = await publish();
    await add(
      page,
      TEXTS.map((title) => ({ title })),
    );
  });

  test.each([
    ['müller', at(0, 1)],
    ['MUELLER', at(0, 1)],
    ['muller', at(0)],
    ['gruesst münchen', at(0)],
    ['grusst munchn', []],
    ['grüsst MUENCHEN', at(0)],
    ['"müller grüßt"', at(0)],
    ['"mueller gruesst"', at(0)],
    ['"mueller grusst"', []],
    ['"Mueller writes"', at(1)],
    ['"müller writes"', at(1)],
    ['well-known', at(1)],
    ['known-well', []],
    ['known well', at(1)],
    ['ete noel', at(2)],
    ['l’été', at(2)],
    ['DEJA', at(2)],
    ['istanbul', at(3)],
    ['ıstanbul İGDIR', at(3)],
    ['ispanak', at(3)],
    ['東京', at(4)],
    ['京都', at(4, 5)],
    ['都', at(4, 5)],
    ['首都', at(4)],
    ['都首', []],
    ['日本の首都', at(4)],
    ['ラーメン', at(5, 10)],
    ['🎉', at(6)],
    ['👩', at(6)],
    ['🇩🇪', at(6)],
    ['3.14', at(7)],
    ['3.1', at(7)],
    ['14.3', []],
    ['anna.smith@example.com', at(8)],
    ['smith@example', at(8)],
    ['anna@example.com', []],
    ['οδος', at(9)],
    ['елка unicode', at(9)],
    ['donaudampf', at(10)],
    ['abc', at(10)],
    ['한국', at(11)],
    ['국어', []],
    ['नमस्ते', at(11)],
    ['tomat', at(12, 13)],
    ['قهوة', at(14)],
    ['قهو', at(14)],
    ['الان', at(14)],
    ['عَرَبِيَّة', at(14)],
    ['שלום', at(15)],
    ['"שָׁלוֹם עולם"', at(15)],
    ['צה"ל', at(15)],
    ["rock'n'roll", at(16)],
    ['rock’n’roll', at(16)],
    ["o'neill", at(16)],
    ['oneill', []],
    ['198', at(16)],
    ['984', []],
    ['strasse', at(17, 18)],
    ['STRAẞE', at(17, 18)],
    ['"straße"', at(17, 18)],
    ['col·lecció', at(17, 18)],
    ['COĿLECCIO', at(17, 18)],
    ['"tomat"', []],
    ['"tomato soup"', at(12)],
    ['"soup tomato"', []],
    ['soup tomato', at(12, 13)],
    ['tomato tomatoes', at(12)],
    ['tomato -soup', at(12, 13)],
    ['unclosed "tomato sou', []],
    ['"tomato sou', at(12, 13)],
    ['NEAR', at(13)],
    ['title:x', at(13)],
    ['title:soup', []],
    ['soup OR pi', []],
    ['tomato AND', at(12, 13)],
    ['tom* "', at(12, 13)],
    ['^tomato', at(12, 13)],
    ['{title} : tomato', at(13)],
    ["' | 'a':* & !'b", []],
    ['!!! ***', []],
    ['\u0001x', at(13)],
    ['s'.repeat(200), []],
  ])('%s', async (q, expected) => {
    expect(await titles(page, q)).toEqual(expected);
    const { body } = await owner.call('GET', base(page, `/count?${new URLSearchParams({ q })}`));
    expect(body).toEqual({ count: expected.length });
  });
});
