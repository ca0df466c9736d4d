import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Random } from '../contract/fuzz/random.ts';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import {
  changeRandomly,
  mergeModel,
  readRows,
  TABLES,
  type TableModel,
} from '../support/functions/merge-model.ts';
import {
  assertIntact,
  assertSame,
  OWNER,
  type SnapshotBench,
  startSnapshots,
} from '../support/functions/snapshots.ts';

/** Random databases that two sides change, merged and compared with a model. */

const SEED = Number(process.env.QUIRE_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const [MAIN, BRANCH] = [1, 2];

let bench: SnapshotBench;
beforeAll(async () => {
  bench = await startSnapshots();
}, 120_000);
afterAll(() => bench?.stop());

test(
  'merges what two sides did with random rows as a model does',
  async () => {
    const random = new Random(SEED);
    let conflicts = 0;
    for (let round = 0; round < rounds(12, 500); round++) {
      const from = random.pick(['branch', 'main'] as const);
      const tables = TABLES.filter(() => random.chance(0.7)).map(({ name }) => name);
      const base = new Database(':memory:');
      for (const { sql } of TABLES) base.run(sql);
      for (const table of TABLES) changeRandomly(base, table, random, 12);
      const files = { base: base.serialize(), branch: base.serialize(), main: base.serialize() };
      const sides = { branch: Database.deserialize(files.branch), main: Database.deserialize(files.main) };
      for (const side of Object.values(sides))
        for (const table of TABLES) changeRandomly(side, table, random, 8);
      if (random.chance(0.3)) sides.branch.run("ALTER TABLE plain ADD COLUMN extra DEFAULT 'given'");
      if (random.chance(0.3)) sides.main.run('ALTER TABLE plain ADD COLUMN other');
      if (random.chance(0.3)) sides.branch.run("UPDATE plain SET b = 'later' WHERE a IS NOT NULL");

      const snapshots = {
        base: await bench.put(MAIN, base),
        branch: await bench.put(BRANCH, sides.branch),
        main: await bench.put(MAIN, sides.main),
      };
      const compared = await bench.merger.compare({ ownerId: OWNER, ...snapshots }, { limit: 200 });
      const order = {
        databaseId: MAIN,
        tables,
        take: [{ path: 'rows', from }],
        confirm: false,
        migrations: [],
      };
      const merged = await bench.merger.merge({ ownerId: OWNER, ...snapshots }, order);
      if (!merged.isMerged) throw new Error(`seed ${SEED}, round ${round}: ${JSON.stringify(merged)}`);

      const model = mergeModel({ base, ...sides }, tables, from);
      if (merged.snapshot !== undefined) await bench.snapshots.replace(OWNER, MAIN, merged.snapshot);
      using found = await bench.copy(MAIN);
      assertIntact(found);
      for (const { name } of TABLES)
        expect({ seed: SEED, round, name, rows: readRows(found, name) }).toEqual({
          ...{ seed: SEED, round, name },
          rows: readRows(model.database, name),
        });
      // The merge keeps the highest id that either side has given.
      for (const each of [found, model.database]) each.run('DELETE FROM sqlite_sequence');
      // Row ids that nobody chose may differ, and how a search keeps its words.
      assertSame(found, bench.toFile(model.database), ['--primarykey', '--vtab']);
      for (const { name } of TABLES as TableModel[]) {
        const numbers = compared.tables.find((table) => table.name === name);
        expect({ seed: SEED, round, name, conflicts: numbers?.conflicts ?? 0 }).toEqual({
          ...{ seed: SEED, round, name },
          conflicts: model.conflicts.get(name) ?? 0,
        });
      }
      conflicts += [...model.conflicts.values()].reduce((sum, count) => sum + count, 0);
      await bench.snapshots.drop(Object.values(snapshots));
    }
    expect(conflicts).toBeGreaterThan(0);
    if (isSoak) console.log(`seed ${SEED}: ${conflicts} conflicts`);
  },
  ROUNDS_MS,
);
