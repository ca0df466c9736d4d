import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Compares every query with a simple model in memory, on the engine of this run. */

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_PAGES: '100000' });
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Data = Record<string, Json>;
interface Stored {
  id: string;
  data: Data;
}

const NAMES = ['a', 'b', 'größe', '0', '__proto__', "it's", 'a b', '$', '%'];
const name = fc.constantFrom(...NAMES);
const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'ab',
    '%',
    '_',
    "'",
    '"',
    '\\',
    '[1]',
    '1',
    'true',
    'null',
    'é',
    '😀',
    '\uffff',
    '€',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }).filter((value) => !value.includes('\0')),
);
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 1.5, 2 ** 53, 2 ** 60, 1e20, 1e21, 1e300, 5e-324, -(2 ** 63)),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar: fc.Arbitrary<Json> = fc.oneof(fc.constant(null), fc.boolean(), number, text);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const data = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Data>;

const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
const test_ = fc.oneof(
  scalar,
  fc.record({ eq: scalar }),
  fc.record({ ne: scalar }),
  ...(['gt', 'gte', 'lt', 'lte'] as const).map((sign) => fc.record({ [sign]: fc.oneof(number, text) })),
  fc.record({ in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ contains: fc.oneof(number, text, fc.boolean()) }),
  fc.record({ exists: fc.boolean() }),
);
const { where } = fc.letrec<{ where: Record<string, unknown> }>((tie) => ({
  where: fc.oneof(
    { depthSize: 'small' },
    fc.dictionary(path, test_, { maxKeys: 2, noNullPrototype: true }),
    fc.record({ and: fc.array(tie('where'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('where'), { maxLength: 3 }) }),
  ),
}));

// The model.

function at(from: Json, dotted: string): Json | undefined {
  let found: Json | undefined = from;
  for (const part of dotted.split('.')) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
    found = Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const equals = (found: Json | undefined, wanted: Json) =>
  wanted === null ? found === null || found === undefined : found === wanted;

function compare(found: Json | undefined, wanted: Json): number | undefined {
  if (typeof found === 'number' && typeof wanted === 'number') return Math.sign(found - wanted) || 0;
  return typeof found === 'string' && typeof wanted === 'string' ? bytewise(found, wanted) : undefined;
}

function passes(found: Json | undefined, operator: string, wanted: Json): boolean {
  const order = compare(found, wanted);
  switch (operator) {
    case 'eq':
      return equals(found, wanted);
    case 'ne':
      return !equals(found, wanted);
    case 'gt':
      return order !== undefined && order > 0;
    case 'gte':
      return order !== undefined && order >= 0;
    case 'lt':
      return order !== undefined && order < 0;
    case 'lte':
      return order !== undefined && order <= 0;
    case 'in':
      return (wanted as Json[]).some((each) => equals(found, each));
    case 'contains':
      if (Array.isArray(found)) return found.some((each) => each === wanted);
      return typeof found === 'string' && typeof wanted === 'string' && found.includes(wanted);
    case 'exists':
      return (found !== undefined) === wanted;
    default:
      throw new Error(`the model knows no ${operator}`);
  }
}

function meets(record: Data, condition: Record<string, unknown>): boolean {
  return Object.entries(condition).every(([key, asked]) => {
    if (key === 'and') return (asked as Data[]).every((each) => meets(record, each));
    if (key === 'or') return (asked as Data[]).some((each) => meets(record, each));
    const found = at(record, key);
    if (typeof asked !== 'object' || asked === null) return equals(found, asked as Json);
    return Object.entries(asked).every(([operator, wanted]) => passes(found, operator, wanted as Json));
  });
}

function rank(found: Json | undefined): number {
  if (found === null || found === undefined) return 0;
  if (typeof found === 'boolean') return found ? 2 : 1;
  return typeof found === 'number' ? 3 : typeof found === 'string' ? 4 : 5;
}

function sorted(records: Stored[], orderBy: string | undefined, order: 'asc' | 'desc'): Stored[] {
  const upwards = records.toSorted((x, y) => {
    if (orderBy !== undefined) {
      const [a, b] = [at(x.data, orderBy), at(y.data, orderBy)];
      const difference = rank(a) - rank(b) || compare(a, b as Json);
      if (difference) return difference;
    }
    return x.id < y.id ? -1 : 1;
  });
  return order === 'asc' ? upwards : upwards.reverse();
}

/** JSON has no negative zero. */
const normal = (found: Data): Data => JSON.parse(JSON.stringify(found));

let collections = 0;
async function fill(all: Data[]): Promise<{ address: string; records: Stored[] }> {
  const page = await owner.publish({ storage_mode: 'social_app' });
  const address = `/api/pages/${page.id}/social-data/c${++collections}`;
  const operations = all.map((each) => ({ op: 'create', data: each }));
  const answer = await owner.call('POST', `${address}/batch`, { body: { operations } });
  expect(answer.status).toBe(200);
  const records = answer.body.results.map(({ record }: { record: Stored }, index: number) => ({
    id: record.id,
    data: normal(all[index] ?? {}),
  }));
  return { address, records };
}

const ask = async (address: string, query: Record<string, string>) => {
  const answer = await owner.call('GET', `${address}?${new URLSearchParams(query)}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { records: Stored[]; total: number; hasMore: boolean };
};

const some = fc.array(data, { minLength: 1, maxLength: 12 });
const RUNS = { numRuns: Number(process.env.QUIRE_TEST_RUNS ?? 60) };

describe('queries agree with a simple model', () => {
  test('records are returned unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(some, async (all) => {
        const { address, records } = await fill(all);
        const found = await ask(address, { order: 'asc' });
        expect(found.records.map((each) => each.data)).toEqual(records.map((each) => each.data));
      }),
      RUNS,
    );
  });

  test('conditions', async () => {
    await fc.assert(
      fc.asyncProperty(some, fc.array(where, { minLength: 1, maxLength: 8 }), async (all, conditions) => {
        const { address, records } = await fill(all);
        for (const condition of conditions) {
          const wanted = records.filter((each) => meets(each.data, condition)).map(({ id }) => id);
          const query = { where: JSON.stringify(condition), order: 'asc' };
          const found = await ask(address, query);
          expect(found.records.map(({ id }) => id)).toEqual(wanted);
          expect(found.total).toBe(wanted.length);
          const { where } = query;
          const counted = await owner.call('GET', `${address}/count?${new URLSearchParams({ where })}`);
          expect(counted.body).toEqual({ count: wanted.length });
        }
      }),
      RUNS,
    );
  });

  test('order, pages and cursors', async () => {
    const direction = fc.constantFrom('asc' as const, 'desc' as const);
    await fc.assert(
      fc.asyncProperty(
        some,
        path,
        direction,
        fc.integer({ min: 1, max: 4 }),
        async (all, by, order, limit) => {
          const { address, records } = await fill(all);
          for (const orderBy of [undefined, by]) {
            const wanted = sorted(records, orderBy, order).map(({ id }) => id);
            const base = { order, limit: String(limit), ...(orderBy && { orderBy: `data.${orderBy}` }) };
            const walked: string[] = [];
            for (let more = true; more; ) {
              const last = walked.at(-1);
              const found = await ask(address, { ...base, ...(last && { after: last }) });
              walked.push(...found.records.map(({ id }) => id));
              expect(found.total).toBe(records.length);
              more = found.hasMore;
            }
            expect(walked).toEqual(wanted);
            const end = wanted.at(-1) ?? '';
            const before = await ask(address, { ...base, before: end });
            expect(before.records.map(({ id }) => id)).toEqual(wanted.slice(0, -1).slice(-limit));
            const later = await ask(address, { ...base, offset: '2' });
            expect(later.records.map(({ id }) => id)).toEqual(wanted.slice(2, 2 + limit));
          }
        },
      ),
      RUNS,
    );
  });

  test('groups', async () => {
    await fc.assert(
      fc.asyncProperty(some, path, async (all, by) => {
        const { address, records } = await fill(all);
        const answer = await owner.call('GET', `${address}/count?${new URLSearchParams({ groupBy: by })}`);
        const canonical = (found: unknown) => JSON.stringify(found, sortNames);
        const wanted = new Map<string, number>();
        for (const each of records) {
          const key = canonical(at(each.data, by) ?? null);
          wanted.set(key, (wanted.get(key) ?? 0) + 1);
        }
        const groups = answer.body.groups as Array<{ value: unknown; count: number }>;
        expect(new Map(groups.map((group) => [canonical(group.value), group.count]))).toEqual(wanted);
        expect(answer.body.count).toBe(records.length);
      }),
      RUNS,
    );
  });
});

function sortNames(_: string, found: unknown): unknown {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return found;
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
