import { join } from 'node:path';
import { readAtOneMoment } from '../pages/database-pages.ts';
import { packPages } from '../pages/pack.ts';
import { OUTCOME_MARK } from '../pages/tasks.ts';
import { compare } from './sql/compare.ts';
import { merge } from './sql/merge.ts';
import { migrate } from './sql/migrate.ts';
import { openThree } from './sql/open.ts';
import type { SqlReport, SqlTask } from './tasks.ts';

/** A program: compares or merges three databases, which others wrote. It runs in a box, with nothing but copies of them. */

try {
  print({ report: run(JSON.parse(process.argv.at(-1) ?? '') as SqlTask) });
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  print({ failure: { message, code, isDamage: false } });
  process.exitCode = 1;
}

/** Only ASCII, so that it can be read in pieces. */
function print(outcome: unknown): void {
  const text = JSON.stringify(outcome).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  process.stderr.write(`\n${OUTCOME_MARK}${text}\n`);
}

function run(task: SqlTask): SqlReport {
  if (task.kind === 'compare') return { compared: compare(openThree(task.folder), task) };
  const migrated = migrate(join(task.folder, 'main.sqlite'), task.migrations);
  if ('refused' in migrated) return { merged: migrated.refused };
  const database = openThree(task.folder);
  const merged = merge(database, task, migrated);
  if (!merged.isMerged || merged.isSame || task.isTrial) return { merged };
  // As hosts keep their databases.
  database.run('PRAGMA main.journal_mode = WAL');
  database.close(true);
  const packed = readAtOneMoment(
    join(task.folder, 'main.sqlite'),
    undefined,
    (source) => packPages(source, undefined),
    () => {
      throw new Error('the merged database changes by itself');
    },
  );
  const { pageBytes, pageCount, at, pages = 0, bytes = 0, checksum = '' } = packed;
  return { merged, packed: { pageBytes, pageCount, at, pages, isFull: true, bytes, checksum } };
}
