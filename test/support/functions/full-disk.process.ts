import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER, startSnapshots } from './snapshots.ts';

/** A program: takes snapshots on a small disk, whose folder is its argument, while the disk is full. */

const disk = process.argv.at(-1) ?? '';
const bench = await startSnapshots({ dataFolder: join(disk, 'data') });
const FILLER = join(disk, 'filler');
const SOME = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)';

/** Leaves this many bytes free. */
function fillUp(bytesLeft: number): void {
  const piece = Buffer.alloc(64 * 1024, 1);
  try {
    for (;;) writeFileSync(FILLER, piece, { flag: 'a' });
  } catch {
    // The disk is full.
  }
  const { size } = Bun.file(FILLER);
  writeFileSync(FILLER, Buffer.alloc(Math.max(0, size - bytesLeft), 1));
}

const codeAfter = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: NodeJS.ErrnoException) => error.code ?? String(error),
  );

await bench.run(1, 'CREATE TABLE t (a)');
await bench.run(1, `INSERT INTO t ${SOME} SELECT randomblob(50000) FROM n`);
const first = await bench.snapshots.take(OWNER, 1);
await bench.run(1, `UPDATE t SET a = randomblob(50000)`);
fillUp(300_000);
const taken = await codeAfter(bench.snapshots.take(OWNER, 1));
const replaced = await codeAfter(bench.snapshots.replace(OWNER, 1, first.id));
const folder = join(disk, 'data/databases');
const left = ['snapshots', 'replacements'].flatMap((name) =>
  readdirSync(join(folder, name)).filter((file) => file.startsWith('new-')),
);
const { count } = await bench.storage.db
  .selectFrom('database_snapshots')
  .select(({ fn }) => fn.countAll<number>().as('count'))
  .executeTakeFirstOrThrow();
const rows = await bench.run(1, 'SELECT count(*) FROM t');
rmSync(FILLER);
const { isNew } = await bench.snapshots.take(OWNER, 1);
const afterwards = { isNew, rows: await bench.run(1, 'SELECT count(*) FROM t') };
await bench.halt();
process.stdout.write(JSON.stringify({ taken, replaced, left, rows, snapshots: Number(count), afterwards }));
process.exit(0);
