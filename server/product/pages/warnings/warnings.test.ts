import { afterEach, expect, test } from 'bun:test';
import { createLog } from '../../../platform/http/index.ts';
import { chooseReadable } from './files.ts';
import { Warnings } from './warnings.ts';

const logged: string[] = [];
const log = createLog('warn', { write: (line: string) => void logged.push(line) });
const functionsKnownTo = async () => new Map();
const readFiles = async () => new Map();
const options = {
  log,
  baseUrl: 'http://quire.example',
  readFiles,
  readText: async () => undefined,
  hasOwnHosts: true,
};
let warnings: Warnings;
afterEach(() => warnings.stop());

const codes = async (html: string, userId = 1) =>
  (await warnings.find(html, userId, 1)).map(({ code }) => code);

/** A slow script: the parser compares each name with all others of its scope. */
const SLOW = `<script>let ${Array.from({ length: 90_000 }, (_, at) => `a${at.toString(36)}`).join()}</script>`;

test('a document that takes too long is given up, and others are still checked', async () => {
  warnings = new Warnings({ ...options, functionsKnownTo, readMs: 50 });
  expect(await codes(SLOW)).toEqual(['NOT_CHECKED']);
  expect(logged.join()).toContain('it took too long');
  // A new thread takes a moment to start on a busy machine.
  while ((await codes('<script>(</script>'))[0] !== 'SCRIPT_SYNTAX');
});

test('an address without an ending means a document, which is there or can be added', async () => {
  const about = { hash: 'a', size: 1, updatedAt: 0 };
  warnings = new Warnings({
    ...options,
    functionsKnownTo,
    readFiles: async () => new Map([['about.html', about]]),
  });
  const found = await warnings.find('<a href="about">x</a><a href="team">y</a><a href="news/">z</a>', 1, 7);
  expect(found.map(({ message }) => message)).toEqual([
    'The page has no file team. Add it with PUT /api/pages/7/files/team.html, or use a whole URL.',
    'The page has no file news/. Add it with PUT /api/pages/7/files/news/index.html, or use a whole URL.',
  ]);
});

test('documents and scripts beside the page are read, each from its own folder, and only so many', async () => {
  const texts: Record<string, string> = {
    'about.html': '<script src="app.js"></script>\n<img src="img/no.png">',
    'app.js': 'import "./lib/a.js";\nfetch("data.json");\nPageFunctions.call("gone");',
    'classic.js': 'with (document) { title = "x" }',
    'lib/a.js': 'import "../app.js"; import "./b.js";\nfetch("data.json")',
    'lib/broken.js': 'let a = ;',
    'data.json': '{',
  };
  const files = new Map(Object.keys(texts).map((path) => [path, { hash: path, size: 1, updatedAt: 0 }]));
  const all = {
    ...options,
    functionsKnownTo,
    readFiles: async () => files,
    readText: async (hash: string) => texts[hash],
  };
  warnings = new Warnings(all);
  const found = await warnings.findInFiles(files, 1, 7);
  expect(found.map(({ code, file, line }) => `${code} ${file}:${line}`)).toEqual([
    'MISSING_FILE about.html:2',
    'UNKNOWN_FUNCTION app.js:3',
    'MISSING_FILE lib/a.js:1',
    'SCRIPT_SYNTAX lib/broken.js:1',
  ]);
  const many = new Map(
    Array.from({ length: 31 }, (_, at) => [`s${at}.js`, { hash: 'lib/broken.js', size: 1, updatedAt: 0 }]),
  );
  expect(chooseReadable(many)).toHaveLength(30);
  const large = (size: number) => new Map([['a.js', { hash: 'lib/broken.js', size, updatedAt: 0 }]]);
  expect(await warnings.findInFiles(large(64 * 1024), 1, 7)).toHaveLength(1);
  expect(await warnings.findInFiles(large(64 * 1024 + 1), 1, 7)).toEqual([]);
}, 20_000);

test('one owner’s documents do not keep the others waiting for all of them', async () => {
  warnings = new Warnings({ ...options, functionsKnownTo });
  const order: number[] = [];
  const save = (userId: number) => codes('<script>(</script>', userId).then(() => order.push(userId));
  await Promise.all([save(1), save(1), save(1), save(1), save(2)]);
  expect(order.indexOf(2)).toBeLessThan(3);
});

test('a failure of the storage is not a failure to save', async () => {
  const failing = () => Promise.reject(new Error('no database'));
  warnings = new Warnings({ ...options, functionsKnownTo: failing });
  expect(await codes('<script>PageFunctions.call("x")</script>')).toEqual(['NOT_CHECKED']);
});
