import { expect, test } from 'bun:test';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { buildDashboard } from './build.ts';

/** What must load before the first screen works. The editor loads after it. */
const MAX_START_BYTES = 120_000;
/** The frame of the dashboard, without the screens of any area. */
const MAX_FRAME_BYTES = 70_000;

const { script, stylesheet, catalog, errorCatalog, files } = await buildDashboard();
const scripts = [...files.keys()].filter((name) => name.endsWith('.js'));
const sumSizes = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + (files.get(name)?.variants.gzip.bytes.length ?? Number.NaN), 0);
const text = (name: string) => new TextDecoder().decode(files.get(name)?.variants.plain.bytes);

/** A file and everything that it imports before it runs. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, target = ''] of text(name).matchAll(/(?:from|\bimport)"\/assets\/dashboard\/([^"]+)"/g))
    withImports(target, found);
  return found;
}

test('the frame and the screens of each area are small before the editor loads', () => {
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

test('a language is one file, which loads beside the frame and needs nothing of it', () => {
  expect([catalog('en'), errorCatalog('en')]).toEqual([undefined, undefined]);
  expect(text(errorCatalog('de') ?? '')).toContain('Diese Seite wurde nicht gefunden.');
  const german = catalog('de') ?? '';
  expect([...withImports(german)]).toEqual([german]);
  expect(sumSizes([script, stylesheet, german])).toBeLessThan(MAX_START_BYTES);
});

test('every file that a script imports exists', () => {
  const named = scripts.flatMap((name) =>
    [...text(name).matchAll(/"\/assets\/dashboard\/([^"]+)"/g)].map(([, target = '']) => target),
  );
  expect(named.filter((name) => !files.has(name))).toEqual([]);
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
  expect(editors).toHaveLength(1);
  const importers = scripts.filter((name) => !isEditor(name) && [...withImports(name)].some(isEditor));
  expect(importers).toEqual([]);
});
