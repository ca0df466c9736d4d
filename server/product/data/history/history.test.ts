import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { startMigratedDatabase } from '../../../../test/support/engines/process-postgres.ts';
import { isSoak, rounds } from '../../../../test/support/faults/rounds.ts';
import { type PageRow, type Storage, startStorage } from '../../../platform/storage/index.ts';
import type { RecordHistory } from '../../ports.ts';
import type { InCollection } from '../access/data-target.ts';
import { putSchema, removeSchema } from '../collections/define.ts';
import { SlowReads } from '../indexes/slow-reads.ts';
import { changeRecord, createRecord, removeRecord, runBatch } from '../records/write.ts';
import { createWrites } from '../records/write-store.ts';
import { createHistory } from './history.ts';
import { LogSweep } from './sweep.ts';

/** Operations before each look back. */
const STEPS = 25;
const ROUNDS = rounds(6, 1_000);
const NAMES = ['notes', 'tasks'] as const;

/** Text of records by id, and the schema, of each collection. */
type State = Record<string, { schema: string | null; records: Map<string, string> }>;

describe.each(['sqlite', 'postgres'] as const)('the record log on %s', (engine) => {
  let folder: string;
  let storage: Storage;
  let stopDatabase = async () => {};
  let history: RecordHistory;
  let sweep: LogSweep;
  let time = 1_700_000_000_000;
  let quota: number | null = null;
  const now = () => time;
  const run = <Row>(query: RawBuilder<Row>) => query.execute(storage.db);
  const page = { id: 7, owner_id: 1, storage_mode: 'team_app', triggers: null } as PageRow;
  let context: Parameters<typeof createHistory>[0] &
    Parameters<typeof createRecord>[0] &
    Parameters<typeof putSchema>[0];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-history-'));
    const database = engine === 'postgres' ? await startMigratedDatabase() : undefined;
    stopDatabase = async () => database?.stop();
    storage = await startStorage({ dataFolder: folder, databaseUrl: database?.url });
    for (const id of [1, 2])
      await run(sql`insert into users (id, username, email, password_hash, is_admin, created_at, needs_second_factor)
        values (${id}, ${`u${id}`}, ${`e${id}`}, '', 0, 0, 0)`);
    await run(sql`insert into pages (id, owner_id, name, slug, description, storage_mode, is_published, is_unlisted,
        page_api_ai_enabled, page_api_image_gen_enabled, page_api_image_search_enabled,
        page_api_image_recognition_enabled, page_api_spawn_enabled, version, views, created_at, updated_at,
        access_mode, access_stamp)
      values (7, 1, 'Page', 'page', '', 'team_app', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'public', '')`);
    const { db, slowDb, commit } = storage;
    const findPage = async () => page;
    const parts = {
      findPage,
      db,
      slowDb,
      commit,
      now,
      readTime: now,
      config: { historyDays: 30 },
      readQuota: async () => quota,
    };
    sweep = new LogSweep(parts);
    context = {
      ...parts,
      sweep,
      chargeUsage: async () => {},
      chargeWithoutQuota: async () => {},
      writes: createWrites(engine, true),
      announce: () => {},
      noteGrowth: (ownerId: number, bytes: number) => sweep.noteGrowth(ownerId, bytes),
      rulesChanged: () => {},
      triggers: () => {
        throw new Error('no page of this test has triggers');
      },
      indexesChanged: () => {},
      slowReads: new SlowReads(),
    };
    history = createHistory(context);
  });
  afterAll(async () => {
    await storage.stop();
    await stopDatabase();
    rmSync(folder, { recursive: true });
  });

  const at = (collection: string, userId = 1): InCollection => ({
    page,
    storageType: 'team_data',
    collection,
    actor: { userId, role: 'owner' },
    username: `u${userId}`,
  });
  const random = (count: number) => Math.floor(Math.random() * count);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const randomData = () => ({ text: 'x'.repeat(random(40)), n: random(5) });

  /** The state as the service shows it. */
  async function readPresent(): Promise<State> {
    const { rows } = await run(sql<{ name: string; schema: string | null; id: string | null; text: string }>`
      select name, schema, records.id, coalesce(records.text, cast(records.data as text)) as text
      from collections left join records on records.collection_id = collections.id where page_id = 7`);
    const state: State = emptyState();
    for (const { name, schema, id, text } of rows) {
      const collection = state[name] as State[string];
      collection.schema = schema;
      if (id !== null) collection.records.set(id, text);
    }
    return state;
  }
  const emptyState = (): State =>
    Object.fromEntries(NAMES.map((name) => [name, { schema: null, records: new Map() }]));
  const sorted = (state: State) =>
    Object.entries(state).map(([name, { schema, records }]) => [
      name,
      schema,
      [...records].sort(([a], [b]) => (a < b ? -1 : 1)),
    ]);

  async function step(state: State): Promise<void> {
    const name = pick(NAMES);
    const target = at(name, 1 + random(2));
    const ids = [...(state[name]?.records.keys() ?? [])];
    const id = pick(ids);
    const kind = random(12);
    if (kind === 0) return removeSchemaIfAny(target, state[name]?.schema ?? null);
    if (kind === 1) {
      await putSchema(context, target, { fields: { [`f${random(3)}`]: { type: 'string' } } });
      return;
    }
    if (kind === 2 && ids.length > 0) {
      const operations = ids.slice(0, 20).map((each) => ({ op: 'delete' as const, id: each }));
      await runBatch(context, target, operations);
      return;
    }
    if (id === undefined || kind < 6) return void (await createRecord(context, target, randomData()));
    if (kind < 8)
      return void (await changeRecord(context, target, { op: 'update', id, data: { n: random(99) } }));
    if (kind < 9)
      return void (await changeRecord(context, target, { op: 'replace', id, data: randomData() }));
    if (kind < 11) return removeRecord(context, target, id);
    await runBatch(context, target, [
      { op: 'create', data: randomData() },
      { op: 'update', id, data: { n: null } },
      { op: 'delete', id },
    ]);
  }
  async function removeSchemaIfAny(target: InCollection, schema: string | null): Promise<void> {
    if (schema !== null) await removeSchema(context, target);
  }

  async function readAll(name: string, past: number): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let after: string | undefined; ; ) {
      const { records, hasMore } = await history.readAt(7, { type: 'team_data', name }, past, {
        limit: 7,
        ...(after && { after }),
      });
      for (const { id, data } of records) found.set(id, JSON.stringify(data));
      if (!hasMore) return found;
      after = records.at(-1)?.id;
    }
  }

  const difference = (from: State, to: State) => {
    const total = { created: 0, updated: 0, deleted: 0 };
    for (const name of NAMES) {
      const [before, after] = [from[name]?.records, to[name]?.records] as [
        Map<string, string>,
        Map<string, string>,
      ];
      for (const [id, text] of after)
        if (!before.has(id)) total.created++;
        else if (before.get(id) !== text) total.updated++;
      for (const id of before.keys()) if (!after.has(id)) total.deleted++;
    }
    return total;
  };

  test(
    'shows and restores any earlier state',
    async () => {
      const states: Array<{ at: number; state: State }> = [{ at: 0, state: emptyState() }];
      const keep = async () => states.push({ at: time, state: await readPresent() });
      /** The last state that was stored before a time. */
      const stateAt = (past: number) => states.findLast((each) => each.at < past)?.state as State;
      for (let round = 0; round < ROUNDS; round++) {
        for (let count = 0; count < STEPS; count++) {
          time += random(3);
          await step(states.at(-1)?.state as State);
          await keep();
        }
        time += 1;
        const past = 1 + (pick(states).at || time) + random(2);
        const [present, wanted] = [states.at(-1)?.state as State, stateAt(past)];
        for (const name of NAMES)
          expect(await readAll(name, past)).toEqual(
            new Map([...(wanted[name]?.records ?? [])].sort().reverse()),
          );
        const { collections, refused, tooOld, ...total } = await history.count(7, past, { by: 1 });
        expect([total, refused, tooOld]).toEqual([difference(present, wanted), [], []]);
        const changed = collections.map(({ created, updated, deleted }) => created + updated + deleted);
        expect(changed.reduce((sum, count) => sum + count, 0)).toBe(
          total.created + total.updated + total.deleted,
        );
        expect(changed.includes(0)).toBe(false);
        expect(await history.restore(7, past, { by: 1 })).toEqual(difference(present, wanted));
        await keep();
        expect(sorted(await readPresent())).toEqual(sorted(wanted));
        expect(await history.restore(7, past, { by: 1 })).toEqual({ created: 0, updated: 0, deleted: 0 });
        await assertCounted();
      }
    },
    isSoak ? 3_600_000 : 120_000,
  );

  /** The counters of records and of the log are those of the rows. */
  async function assertCounted(): Promise<void> {
    const { rows } = await run(sql<{ counted: number; stored: number; logged: number; entries: number }>`
      select (select coalesce(sum(bytes), 0) from record_counts) as counted,
        (select coalesce(sum(size + 256), 0) from records) as stored,
        (select coalesce(sum(log_bytes), 0) from record_counts) as logged,
        (select coalesce(sum(size + 256), 0) from record_changes) as entries`);
    const [{ counted, stored, logged, entries }] = rows as [(typeof rows)[number]];
    expect([Number(counted), Number(logged)]).toEqual([Number(stored), Number(entries)]);
  }

  /** Says since when the history of the page is needed. */
  const need = ({ wanted, restoring }: { wanted?: number; restoring?: number }) => {
    const since = (at: number | undefined) => async () => new Map(at === undefined ? [] : [[7, at] as const]);
    history.keepFor({ listWanted: since(wanted), listRestoring: since(restoring) });
  };

  test('forgets what is before a time, and then says from when on it is complete', async () => {
    const before = time;
    await history.forget(7, before);
    expect(await history.oldest(7)).toBe(before);
    const { rows } = await run(sql<{ at: number }>`select at from record_changes where at < ${before}`);
    expect(rows).toEqual([]);
    await assertCounted();
    time += 31 * 24 * 3600 * 1000;
    need({ wanted: before });
    await changeRecord(context, at('notes'), {
      op: 'update',
      id: (await createRecord(context, at('notes'), {})).id,
      data: { n: 1 },
    });
    await sweep.purge(() => false);
    expect(await history.oldest(7)).toBe(before);
    need({});
    await sweep.purge(() => false);
    const left = await run(sql<{ at: number }>`select at from record_changes`);
    expect(left.rows.map((row) => Number(row.at))).toEqual([time]);
    await assertCounted();
  });

  test('lets the oldest go when the log is larger than a quarter of the quota', async () => {
    const { id } = await createRecord(context, at('notes'), { n: 0 });
    for (let n = 1; n <= 300; n++) {
      time++;
      await changeRecord(context, at('notes'), { op: 'replace', id, data: { n, text: 'x'.repeat(400) } });
    }
    const bytes = await history.bytes([7]);
    quota = bytes * 4;
    await sweep.purge(() => false);
    expect(await history.bytes([7])).toBe(bytes);
    quota = bytes * 4 - 4;
    await sweep.purge(() => false);
    quota = null;
    const { rows } = await run(sql<{ first: number; count: number }>`
      select min(at) as first, count(*) as count from record_changes`);
    // It removes 200 at a time.
    expect(Number(rows[0]?.count)).toBe(301 - 200);
    expect(await history.oldest(7)).toBe(Number(rows[0]?.first));
    await assertCounted();
  });

  test('lets what somebody keeps go last, and what a restore needs stay', async () => {
    const { id } = await createRecord(context, at('kept'), { n: 0 });
    const change = async (collection: string, record: string) => {
      for (let n = 1; n <= 300; n++) {
        time++;
        await changeRecord(context, at(collection), {
          op: 'replace',
          id: record,
          data: { n, text: 'x'.repeat(400) },
        });
      }
    };
    await change('kept', id);
    const moment = ++time;
    await change('kept', id);
    const count = async () => {
      const { rows } = await run(sql<{ before: number; since: number }>`
        select sum(case when at < ${moment} then 1 else 0 end) as before,
          sum(case when at >= ${moment} then 1 else 0 end) as since
        from record_changes join collections on collections.id = collection_id where name = 'kept'`);
      return [Number(rows[0]?.before), Number(rows[0]?.since)];
    };
    expect(await count()).toEqual([300, 300]);
    quota = 1;
    need({ restoring: moment });
    await sweep.purge(() => false);
    expect(await count()).toEqual([0, 300]);
    need({ wanted: moment, restoring: moment });
    await sweep.purge(() => false);
    expect(await count()).toEqual([0, 300]);
    // There is nothing else that could go.
    need({ wanted: moment });
    await sweep.purge(() => false);
    expect((await count())[1]).toBe(0);
    quota = null;
    need({});
    await assertCounted();
  });

  test('fails if the log is removed while records are brought back, and never takes a later state', async () => {
    const create = Array.from({ length: 450 }, () => ({ op: 'create' as const, data: { n: 0 } }));
    const ids: string[] = [];
    for (let from = 0; from < create.length; from += 90) {
      const changes = await runBatch(context, at('busy'), create.slice(from, from + 90));
      ids.push(...changes.flatMap(({ record }) => record?.id ?? []));
    }
    expect(ids).toHaveLength(450);
    const moment = ++time;
    const changeAll = async (n: number) => {
      time++;
      for (const id of ids) await changeRecord(context, at('busy'), { op: 'update', id, data: { n } });
    };
    await changeAll(1);
    const between = ++time;
    await changeAll(2);
    time++;
    let forgetting: Promise<void> | undefined;
    context.announce = () => {
      forgetting ??= history.forget(7, between);
    };
    try {
      const restoring = history.restore(7, moment, { by: 1, collections: ['busy'] });
      await expect(restoring).rejects.toThrow('The history of busy begins at');
    } finally {
      context.announce = () => {};
    }
    await forgetting;
    const { rows } = await run(sql<{ text: string }>`
      select coalesce(records.text, cast(records.data as text)) as text from records
      join collections on collections.id = collection_id where name = 'busy'`);
    expect(new Set(rows.map(({ text }) => JSON.parse(text).n))).toEqual(new Set([0, 2]));
    // Another collection is not affected, and this one can be left out.
    expect(await history.restore(7, time, { by: 1, collections: ['kept'] })).toMatchObject({ updated: 0 });
    const { tooOld, updated } = await history.count(7, moment, { by: 1, collections: ['busy'] });
    expect([tooOld, updated]).toEqual([[{ name: 'busy', since: between }], 0]);
    expect(await history.restore(7, moment, { by: 1, collections: ['busy'], except: ['busy'] })).toEqual({
      created: 0,
      updated: 0,
      deleted: 0,
    });
  });

  test('lets earlier schemas go, too', async () => {
    const describe = (n: number) => ({
      fields: { f: { type: 'string' as const, enum: [`${n}`, 'x'.repeat(90_000)] } },
    });
    for (let n = 1; n <= 3; n++) {
      time++;
      await putSchema(context, at('described'), describe(n));
    }
    const count = async () =>
      (await run(sql`select id from collection_changes where schema like '%xxx%'`)).rows.length;
    expect(await count()).toBe(2);
    time++;
    quota = 4 * 100_000;
    await sweep.purge(() => false);
    quota = null;
    expect(await count()).toBe(0);
    expect(await history.oldest(7)).toBe(time);
    await assertCounted();
  });

  test('says in numbers what happened, by person and part of a span', async () => {
    const from = time + 1_000;
    time = from;
    const [gone, kept] = [
      await createRecord(context, at('notes', 2), { a: 1 }),
      await createRecord(context, at('notes', 1), { a: 2 }),
    ];
    time = from + 60_000;
    await changeRecord(context, at('notes', 1), { op: 'update', id: kept.id, data: { a: 3 } });
    await removeRecord(context, at('notes', 1), gone.id);
    const span = { from, to: from + 120_000, everyMs: 60_000 };
    const about = { collection: 'notes', type: 'team_data' as const };
    expect(await history.summarize(7, span)).toEqual(
      expect.arrayContaining([
        { at: from, ...about, by: 2, created: 1, updated: 0, deleted: 0 },
        { at: from, ...about, by: 1, created: 1, updated: 0, deleted: 0 },
        { at: from + 60_000, ...about, by: 1, created: 0, updated: 1, deleted: 1 },
      ]),
    );
  });
});
