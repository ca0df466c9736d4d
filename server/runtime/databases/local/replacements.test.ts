import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACE, toFileName } from '../folder.ts';
import { Replacements } from './replacements.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-replacements-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The calls of the file system, which end the process instead of the one with this number. */
const COUNTING_FS = `
  const fs = process.getBuiltinModule('fs');
  let left = Number(process.env.DIES_AT);
  const counted = (name) => (...args) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    return fs[name](...args);
  };
  ${[
    'closeSync',
    'existsSync',
    'fsyncSync',
    'mkdirSync',
    'openSync',
    'readdirSync',
    'renameSync',
    'rmSync',
    'writeFileSync',
  ]
    .map((name) => `export const ${name} = counted('${name}');`)
    .join('\n')}
`;

/** A program that puts a file in place of database 1 of owner 7, or finishes what another one has begun. */
async function buildProgram(): Promise<string> {
  const source = join(folder, 'program.ts');
  writeFileSync(
    source,
    `import { Replacements } from '${join(import.meta.dir, 'replacements.ts')}';
     const [databases = '', file] = process.argv.slice(2);
     const replacements = new Replacements(databases);
     if (file === undefined) replacements.finishAll();
     else await (await replacements.prepare(7, 1, file === 'nothing' ? undefined : file)).finish();`,
  );
  const { outputs } = await Bun.build({
    entrypoints: [source],
    target: 'bun',
    plugins: [
      {
        name: 'counted calls',
        setup(build) {
          // A plugin cannot replace a module of the runtime itself.
          build.onLoad({ filter: /replacements\.ts$/ }, async ({ path }) => ({
            contents: (await Bun.file(path).text()).replace("'node:fs'", "'counted'"),
            loader: 'ts',
          }));
          build.onResolve({ filter: /^counted$/ }, () => ({ path: 'counted', namespace: 'counted' }));
          build.onLoad({ filter: /.*/, namespace: 'counted' }, () => ({
            contents: COUNTING_FS,
            loader: 'js',
          }));
        },
      },
    ],
  });
  const built = join(folder, 'program.js');
  writeFileSync(built, (await outputs[0]?.text()) ?? '');
  return built;
}

/** Writes a database whose last row is only in its log. */
function writeDatabase(path: string, rows: number[]): void {
  const live = join(folder, 'live.sqlite');
  const database = new Database(live);
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE t (a)');
  for (const row of rows) {
    if (row === rows.at(-1)) database.run('PRAGMA wal_checkpoint(PASSIVE)');
    database.run('INSERT INTO t VALUES (?)', [row]);
  }
  for (const suffix of ['', '-wal', '-shm']) cpSync(live + suffix, path + suffix);
  database.close();
  rmSync(live);
}

function readRows(path: string): unknown[] {
  const database = new Database(path);
  const rows = database.query('SELECT a FROM t ORDER BY a').values().flat();
  database.close();
  return rows;
}

const run = (program: string, args: string[], diesAt: number) =>
  Bun.spawnSync([process.execPath, program, ...args], { env: { DIES_AT: String(diesAt) } }).exitCode === 0;

test.each(['a file', 'nothing'])(
  'after a kill at any step of a replacement by %s, the database is the old one or the new one',
  async (by) => {
    const program = await buildProgram();
    const seen = new Set<string>();
    let isOver = false;
    for (let diesAt = 0; !isOver; diesAt++) {
      const databases = join(folder, `${by === 'nothing'}-${diesAt}`);
      const inner = join(databases, '7', NAMESPACE);
      mkdirSync(inner, { recursive: true });
      const target = join(inner, `${toFileName(1)}.sqlite`);
      writeDatabase(target, [1, 2, 3]);
      const file = join(databases, 'new.sqlite');
      const fresh = new Database(file);
      fresh.run('CREATE TABLE t (a)');
      fresh.run('INSERT INTO t VALUES (9)');
      fresh.close();
      isOver = run(program, [databases, by === 'nothing' ? by : file], diesAt);
      // The next start is killed, too, at a step of its own.
      run(program, [databases], diesAt % 7);
      new Replacements(databases).finishAll();
      expect(readdirSync(join(databases, 'replacements'))).toEqual([]);
      const left = readdirSync(inner);
      const state = left.length === 0 ? 'empty' : JSON.stringify(readRows(target));
      expect(['[1,2,3]', by === 'nothing' ? 'empty' : '[9]']).toContain(state);
      seen.add(state);
      if (isOver) expect(state).not.toBe('[1,2,3]');
      rmSync(databases, { recursive: true });
    }
    expect(seen.size).toBe(2);
  },
  60_000,
);
