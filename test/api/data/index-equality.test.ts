import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';

/** Compares every query of a collection with indexes with the same query without them. */

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_PAGES: '100000' });
});
afterAll(() => quire.stop());

const RECORDS = 300;
/** So much that a query of the whole collection counts as a large one. */
const PAD = 'p'.repeat(600);
const LONG = 'l'.repeat(299);
/** Longer than what an index keeps of a text, with differences before, at and after the end of that. */
const LONG_TEXTS = [
  '',
  'x',
  'xy',
  '😀',
  '😀a',
  'x😀',
  '\uffff',
  'xa'.repeat(50),
  `xa${'b'.repeat(2000)}`,
].map((rest) => LONG + rest);
const VALUES = [
  ...['', 'a', 'A', 'ab', 'é', '😀', '\uffff', '€', '1', 'true', ...LONG_TEXTS],
  ...[0, -1, 1, 0.1, 1.5, 2 ** 53, 2 ** 60, 1e21, -1e300, 5e-324],
  ...[true, false],
];
const FIELDS = {
  a: { type: 'enum', values: VALUES },
  b: { type: 'number' },
  o: { type: 'object', properties: { c: { type: 'enum', values: VALUES } } },
};
const INDEXES = ['a', 'b', 'o.c'];

const value = fc.constantFrom(...VALUES);
const optional = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined, freq: 4 });
const data = fc.record({
  a: optional(value),
  b: optional(fc.integer({ min: 0, max: 4 })),
  o: optional(fc.record({ c: value })),
  u: fc.integer({ min: 0, max: 2 }),
});
const anyData = fc.oneof(
  { weight: 9, arbitrary: data },
  // Older than the schema.
  fc.record({ a: fc.constantFrom(null, [1], { x: 1 }), b: value, o: value, u: fc.constant(1) }),
);
const operand = fc.oneof(value, fc.constant(null), fc.integer({ min: 0, max: 4 }));
const comparable = fc.oneof(
  fc.constantFrom(...VALUES.filter((each) => typeof each !== 'boolean')),
  fc.integer({ min: 0, max: 4 }),
);
const asked = fc.oneof(
  operand,
  fc.record({ ne: operand }),
  fc.record({ in: fc.array(operand, { maxLength: 4 }) }),
  fc.record({ gte: comparable }),
  fc.record({ gt: comparable, lte: comparable }),
  fc.record({ lt: comparable }),
  fc.record({ exists: fc.boolean() }),
);
const where = fc.oneof(
  ...INDEXES.map((field) => asked.map((one) => ({ [field]: one }))),
  fc.record({ a: asked, b: asked }),
  fc.record({ b: asked, u: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ or: fc.tuple(fc.record({ a: asked }), fc.record({ b: asked })) }),
  fc.record({ u: fc.integer({ min: 0, max: 2 }) }),
);
const query = fc.record(
  {
    where,
    orderBy: fc.constantFrom('data.a', 'data.b', 'data.o.c', 'data.u', 'created_at', 'updated_at'),
    order: fc.constantFrom('asc', 'desc'),
    limit: fc.integer({ min: 1, max: 40 }),
    offset: fc.integer({ min: 0, max: 60 }),
    cursor: fc.record({ direction: fc.constantFrom('after', 'before'), at: fc.nat() }),
    mine: fc.boolean(),
  },
  { requiredKeys: [] },
);
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;
const operation = fc.record({
  op: fc.constantFrom('create', 'update', 'replace', 'delete'),
  at: fc.nat(),
  data,
  isOwner: fc.boolean(),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** A collection, and what the test knows of its records. */
class Collection {
  readonly records: Array<{ n: number; by: TestUser; id: string }> = [];
  #next = 0;

  constructor(
    readonly page: PublishedPage,
    readonly type: string,
    readonly users: { owner: TestUser; other: TestUser },
    readonly rules: object | undefined,
  ) {}

  path = (rest = '') => `/api/pages/${this.page.id}/${this.type}/things${rest}`;

  async createAll(by: TestUser, all: unknown[]): Promise<void> {
    const from = this.#next;
    this.#next += all.length;
    const operations = all.map((one, at) => ({
      op: 'create',
      data: { ...(one as object), pad: PAD, n: from + at },
    }));
    const { status, body } = await by.call('POST', this.path('/batch'), { body: { operations } });
    expect([status, body.error]).toEqual([200, undefined]);
    for (const at of all.keys()) this.records.push({ n: from + at, by, id: body.results[at].record.id });
  }

  async apply({ op, at, data: some, isOwner }: Operation): Promise<void> {
    const { owner, other } = this.users;
    if (op === 'create' || this.records.length === 0) return this.createAll(isOwner ? owner : other, [some]);
    const [record] = this.records.splice(at % this.records.length, 1);
    if (!record) return;
    const body = { data: op === 'replace' ? { ...some, pad: PAD, n: record.n } : some };
    const method = { update: 'PATCH', replace: 'PUT', delete: 'DELETE' }[op];
    const path = this.path(`/${record.id}`);
    const answer = await record.by.call(method, path, op === 'delete' ? {} : { body });
    expect([answer.status, answer.body?.details]).toEqual([op === 'delete' ? 204 : 200, undefined]);
    quire.advance(1);
    if (op !== 'delete') this.records.push(record);
  }

  async setSchema(indexes: string[]): Promise<void> {
    const schema = { fields: FIELDS, rules: this.rules, indexes };
    const { status } = await this.users.owner.call('PUT', this.path('/schema'), { body: { schema } });
    expect(status).toBe(200);
  }

  /** Lets queries go without the indexes, which stay as they are. */
  async use(isIndexed: boolean): Promise<void> {
    await runSql(
      quire,
      `update collections set is_indexed = ${isIndexed ? 1 : 0} where page_id = ${this.page.id}`,
    );
  }

  untilReady(): Promise<void> {
    return waitUntil(async () => {
      const { body } = await this.users.owner.call('GET', this.path('/schema'));
      return body.indexes.every(({ state }: { state: string }) => state === 'ready');
    });
  }

  async ask(by: TestUser, { where: some, cursor, mine, ...rest }: Query) {
    const own = this.records.filter(
      (record) => !(mine || this.rules || this.type === 'solo-data') || record.by === by,
    );
    const at = cursor && own.length > 0 ? own[cursor.at % own.length] : undefined;
    const parameters = new URLSearchParams(
      Object.entries({
        ...rest,
        ...(some && { where: JSON.stringify(some) }),
        ...(cursor && at && { [cursor.direction]: at.id }),
        ...(mine && this.type !== 'solo-data' && { mine }),
      }).map(([key, one]): [string, string] => [key, String(one)]),
    );
    const { status, body } = await by.call('GET', this.path(`?${parameters}`));
    if (status !== 200) console.log(quire.logs.slice(-2).join());
    expect([status, body.error]).toEqual([200, undefined]);
    const { total, hasMore } = body;
    return { total, hasMore, records: body.records.map(({ data: { n } }: { data: { n: number } }) => n) };
  }
}

const ROUNDS = 4;
const QUERIES = 60;
const seed = Date.now();

describe.each([
  ['social_app', 'social-data', undefined],
  ['social_app', 'social-data', { read: 'author' }],
  ['solo_app', 'solo-data', undefined],
])('in %s, as %s with rules %p', (storage_mode, type, rules) => {
  test(`gives the same records with and without indexes (seed ${seed})`, async () => {
    const users = { owner: await quire.user(), other: await quire.user() };
    const page = await users.owner.publish({ storage_mode });
    const collection = new Collection(page, type, users, rules);
    const sample = <T>(some: fc.Arbitrary<T>, count: number, round: number) =>
      fc.sample(some, { numRuns: count, seed: seed + round });
    for (const [round, by] of [users.owner, users.other, users.owner].entries())
      await collection.createAll(by, sample(anyData, RECORDS / 3, round));
    await collection.setSchema(INDEXES);
    for (let round = 0; round < ROUNDS; round++) {
      // Also while the index is built: at first, and once more in the middle.
      if (round === 2) for (const some of [['b'], [], INDEXES]) await collection.setSchema(some);
      for (const one of sample(operation, 25, round)) await collection.apply(one);
      await collection.untilReady();
      const queries = sample(query, QUERIES, round);
      const askAll = async () => {
        const answers = [];
        for (const one of queries)
          for (const by of [users.owner, users.other]) answers.push([one, await collection.ask(by, one)]);
        return answers;
      };
      const withIndexes = await askAll();
      await collection.use(false);
      expect(withIndexes).toEqual(await askAll());
      await collection.use(true);
    }
  }, 120_000);
});
