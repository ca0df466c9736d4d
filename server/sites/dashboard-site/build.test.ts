import { expect, test } from 'bun:test';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { readCatalog } from '../screens/index.ts';
import { Dashboard } from './build.ts';

/** What must load before the first screen works. The editor loads after it. */
const MAX_START_BYTES = 120_000;
/** The frame of the dashboard, without the screens of any area. */
const MAX_FRAME_BYTES = 70_000;

const dashboard = new Dashboard();
const { script, stylesheet, errorTexts, files } = await dashboard.bundle('en');
const german = await dashboard.bundle('de');
const scripts = [...files.keys(), ...german.files.keys()].filter((name) => name.endsWith('.js'));
/** Browsers that cannot read brotli, and those that reach the service without TLS, get gzip. */
const sumSizes = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + (find(name)?.variants.gzip.bytes.length ?? Number.NaN), 0);
const find = (name: string) => files.get(name) ?? german.files.get(name);
const text = (name: string) => new TextDecoder().decode(find(name)?.variants.plain.bytes);

/** A sentence of one screen. */
const STRANGERS = 'Find out what strangers can do with this page, before they do.';

/** A file and everything that it imports before it runs. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, target = ''] of text(name).matchAll(/(?:from|\bimport)"\/assets\/dashboard\/([^"]+)"/g))
    withImports(target, found);
  return found;
}

test.each([
  ['English', script],
  ['German', german.script],
])('the frame and the screens of each area, in %s, are small before the editor loads', (_, script) => {
  const frame = withImports(script);
  // Nothing that the script needs immediately is in a second file, which would be another round trip.
  expect([...frame]).toEqual([script]);
  expect(sumSizes([script, stylesheet])).toBeLessThan(MAX_FRAME_BYTES);

  const areas = [...text(script).matchAll(/import\("\/assets\/dashboard\/([^"]+)"\)/g)].map(
    ([, name = '']) => name,
  );
  expect(areas.length).toBeGreaterThanOrEqual(4);
  for (const area of areas)
    expect(sumSizes([...withImports(area, new Set([script])), stylesheet])).toBeLessThan(MAX_START_BYTES);
});

test('each script comes with the translations of what it says, and with no others', () => {
  const findSaying = (words: string) => [...german.files.keys()].filter((name) => text(name).includes(words));
  const strangers = String(readCatalog('de', ['dashboard'])[STRANGERS]);
  expect(findSaying(STRANGERS)).toHaveLength(1);
  expect(findSaying(strangers)).toEqual(findSaying(STRANGERS));
  expect(findSaying(STRANGERS)).not.toContain(german.script);
  // The title of a template, which the server says.
  expect(text(german.script)).toContain('Gästebuch');
  expect(text(script)).not.toContain('quireTexts={}');
  for (const name of german.files.keys()) if (name.endsWith('.js')) expect(name).toStartWith('de-');
});

test('what errors say is a file that loads after the first screen', () => {
  expect(errorTexts).toBeUndefined();
  const errors = german.errorTexts ?? '';
  expect(text(errors)).toContain('Diese Seite wurde nicht gefunden.');
  expect([...withImports(errors)]).toEqual([errors]);
  expect(scripts.filter((name) => text(name).includes(errors))).toEqual([]);
});

test('a file is found by its name in every language, also after a restart', async () => {
  const restarted = new Dashboard();
  for (const name of [german.script, german.errorTexts ?? '', script, stylesheet])
    expect((await restarted.file(name))?.variants.plain.bytes).toEqual(find(name)?.variants.plain.bytes);
  expect(await restarted.file('nothing.js')).toBeUndefined();
  expect(await restarted.file('de-nothing.js')).toBeUndefined();
}, 30_000);

test('every file that a script imports exists', () => {
  const named = scripts.flatMap((name) =>
    [...text(name).matchAll(/"\/assets\/dashboard\/([^"]+)"/g)].map(([, target = '']) => target),
  );
  expect(named.filter((name) => !find(name))).toEqual([]);
});

test('no file has zod or a schema, and endpoints are in them with nothing but their method and path', () => {
  const all = scripts.map(text).join('\n');
  expect(all).toMatch(/updatePage:\{method:"PATCH",path:"\/api\/pages\/:id"\}/);
  // Endpoints can be in groups of groups.
  expect(all).toMatch(/setSchema:\{method:"PUT",path:"\/api\/pages\/:id\/team-data\/:collection\/schema"\}/);
  // Every schema of zod has the first. Only schemas have the second, and only descriptions the third.
  for (const mark of ['_zod', 'safeParse', pageEndpoints.updatePage.summary]) expect(all).not.toInclude(mark);
  expect(pageEndpoints.updatePage.body).toHaveProperty('_zod');
});

test('the editor is a separate file that no area needs before it is shown', () => {
  const isEditor = (name: string) => text(name).includes('cm-editor');
  const editors = scripts.filter(isEditor);
  // One in each language.
  expect(editors).toHaveLength(2);
  const importers = scripts.filter((name) => !isEditor(name) && [...withImports(name)].some(isEditor));
  expect(importers).toEqual([]);
});
