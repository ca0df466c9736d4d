import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readVersionList, VersionListError } from './version-list.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const file = join(folder, 'list.json');
  writeFileSync(file, text);
  const [versions, tags] = [new Map<string, unknown>(), new Map<string, unknown>()];
  readVersionList(file, {
    onVersion: (version, json) => versions.set(version, JSON.parse(json())),
    onTag: (tag, json) => tags.set(tag, JSON.parse(json())),
  });
  return { versions: Object.fromEntries(versions), 'dist-tags': Object.fromEntries(tags) };
}

test('finds versions and tags among other things, in any order', () => {
  const list = {
    readme: 'with "quotes", {braces} and \\',
    versions: { '1.0.0': { dist: { a: [1, { b: '}' }] } }, '2.0.0-x': {} },
    time: { versions: { '9.9.9': {} } },
    list: [{ versions: 1 }, 'x'],
    'dist-tags': { latest: '1.0.0', next: '2.0.0-x' },
  };
  const { versions, 'dist-tags': tags } = list;
  expect(read(JSON.stringify(list))).toEqual({ versions, 'dist-tags': tags });
  expect(read(JSON.stringify(list, null, 2))).toEqual({ versions, 'dist-tags': tags });
  expect(read('{"versions":{}}')).toEqual({ versions: {}, 'dist-tags': {} });
});

test('reads entries across chunks', () => {
  const entries = Array.from({ length: 3_000 }, (_, n) => [`1.0.${n}`, { text: 'ü"'.repeat(n % 300) }]);
  const versions = Object.fromEntries(entries);
  expect(read(JSON.stringify({ versions })).versions).toEqual(versions);
});

test('reads whatever JSON can have', () => {
  const tags = fc.dictionary(fc.string({ maxLength: 20 }), fc.string());
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue()), tags, (versions, latest) => {
      const text = JSON.stringify({ before: versions, versions, between: [versions], 'dist-tags': latest });
      // JSON has no negative zero.
      const { before: _, between: __, ...expected } = JSON.parse(text);
      expect(read(text)).toEqual(expected);
    }),
  );
});

test.each([
  ['', 'nothing'],
  ['[]', 'a list'],
  ['<html>', 'another format'],
  ['{"dist-tags":{}}', 'no versions'],
  ['{"versions":[]}', 'another value'],
  ['{"versions":{"1.0.0":{}', 'half of it'],
  [`{"versions":{"1.0.0":"${'x'.repeat(2_000_000)}"}}`, 'an entry without end'],
  [`{"${'x'.repeat(1000)}":1,"versions":{}}`, 'a key without end'],
])('refuses %.20s: %s', (text) => {
  expect(() => read(text)).toThrow(VersionListError);
});
