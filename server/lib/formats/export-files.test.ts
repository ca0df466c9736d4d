import { expect, test } from 'bun:test';
import { type ExportFile, exportFile, packExport, safeName } from './export-files.ts';

const MEGABYTE = 1024 * 1024;

async function* all(...files: ExportFile[]) {
  yield* files;
}

/** The names of the files in the archive, as the tar of the system lists them, and the archive. */
async function pack(...files: ExportFile[]) {
  const pieces: Uint8Array[] = [];
  for await (const piece of packExport(all(...files), 0)) pieces.push(piece);
  const archive = Buffer.concat(pieces);
  const read = (args: string[]) => {
    const done = Bun.spawnSync(['tar', ...args], { stdin: archive });
    expect(done.stderr.toString()).toBe('');
    return done.stdout.toString();
  };
  return { names: read(['-t']).trim().split('\n'), readText: (name: string) => read(['-xO', name]) };
}

test.each([1, 99, 100, 101, 500, 3000])('a name of %d bytes is kept', async (length) => {
  const name = 'n'.repeat(length);
  const { names, readText } = await pack(exportFile(name, 'text'), exportFile('next', 'more'));
  expect(names).toEqual([name, 'next']);
  expect(readText(name)).toBe('text');
});

test('others get their turn before each file', async () => {
  let turns = 0;
  let turn = setImmediate(function next() {
    turns++;
    turn = setImmediate(next);
  });
  await Array.fromAsync(
    packExport(all(...Array.from({ length: 50 }, (_, at) => exportFile(`${at}`, 'x'))), 0),
  );
  clearImmediate(turn);
  expect(turns).toBeGreaterThanOrEqual(49);
});

test('lines that pass a megabyte are cut into parts, never inside a line', async () => {
  const line = `${'x'.repeat(MEGABYTE / 2 - 1)}\n`;
  async function* lines(count: number) {
    for (let i = 0; i < count; i++) yield line;
  }
  const { names } = await pack(
    { path: 'two.jsonl', lines: lines(2) },
    { path: 'three.jsonl', lines: lines(3) },
  );
  expect(names).toEqual(['two.jsonl', 'three.jsonl', 'three.2.jsonl']);
});

test('a file that breaks off is filled up, named, and does not damage the next one', async () => {
  async function* broken() {
    yield Buffer.from('some');
    throw new Error('deleted meanwhile');
  }
  const { names, readText } = await pack(
    { path: 'broken', size: 10, bytes: broken() },
    { path: 'longer', size: 2, bytes: [Buffer.from('long')] },
    exportFile('whole', 'whole'),
  );
  expect(names).toEqual(['broken', 'longer', 'whole', 'INCOMPLETE.txt']);
  expect(readText('broken')).toBe('some\0\0\0\0\0\0');
  expect(readText('whole')).toBe('whole');
  expect(readText('INCOMPLETE.txt')).toContain('broken');
});

test.each([
  ['../../etc/passwd', '_/'],
  ['..', '/'],
  ['a\u0000b', '\u0000'],
  ['', '/'],
  ['con\u202Etxt', '\u202E'],
])('the name %j is made safe', (name, without) => {
  const safe = safeName(name);
  expect(safe).not.toBe('');
  expect(safe).not.toBe('..');
  expect(safe).not.toContain(without);
  expect(safe).not.toContain('/');
});
