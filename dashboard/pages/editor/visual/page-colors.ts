import { pathOfReference } from '../preview/references.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { isColorName } from './colors.ts';
import type { Change } from './source/change.ts';
import { findColors } from './source/css-colors.ts';
import type { DocumentMap } from './source/document-map.ts';
import { toSource } from './source/document-map.ts';
import { findDocumentColors, groupColors, type PageColor } from './source/page-colors.ts';
import type { VisualEditor } from './visual-editor.ts';

/** More style sheets are not read. */
const MAX_SHEETS = 10;

/** The colors of the document that is shown, and of the style sheets of the page that it uses. */
export async function listPageColors(visual: VisualEditor): Promise<PageColor[]> {
  const { map, path } = visual;
  const { work } = visual.surroundings;
  if (!map) return [];
  const uses = findDocumentColors(map, path, isColorName);
  for (const sheet of listSheets(map, path, work)) {
    const text = work.textNow(sheet) ?? (await work.load(sheet));
    if (text === undefined) continue;
    const found = findColors(toSource(text), isColorName).map((use) => ({ ...use, path: sheet }));
    if (found.length > 0) await openEditor(work, sheet);
    uses.push(...found);
  }
  return groupColors(uses);
}

function listSheets(map: DocumentMap, path: string, work: EditedPage): string[] {
  const all = new Set(work.paths());
  const found = map.findWith('href').flatMap(({ id, tag }) => {
    const isSheet = map.tagName(id) === 'link' && /stylesheet/i.test(tag.attributes.get('rel')?.value ?? '');
    const target = isSheet && pathOfReference(tag.attributes.get('href')?.value ?? '', path)?.path;
    return target && all.has(target) ? [target] : [];
  });
  return [...new Set(found)].slice(0, MAX_SHEETS);
}

/** Its editor keeps the steps to undo. */
const openEditor = (work: EditedPage, path: string) =>
  new Promise<void>((done) => {
    work.open.open(path);
    work.settle();
    work.open.whenAttached(path, () => done());
  });

/** Replaces a color wherever the page has it. Returns false if the source has become another one. */
export function setPageColor(visual: VisualEditor, { key, uses }: PageColor, value: string): boolean {
  const live = visual.startEdit(`color-${key}`);
  if (!live) return false;
  const changes = new Map<string, Change[]>();
  for (const { path, from, to } of uses)
    changes.set(path, [...(changes.get(path) ?? []), { from, to, insert: value }]);
  const before = visual.map;
  if (!visual.write(live, changes)) return false;
  if (before) visual.rewriteStyles(before);
  return true;
}
