import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { readCatalog } from '../../server/sites/screens/index.ts';
import TEMPLATES from '../../templates/catalog.json';
import { findMisfits, TRANSLATED } from '../../test/support/catalogs.ts';
import { NOT_TEXTS } from './not-texts.ts';

/** Finds what the dashboard says without `t`, and texts without a translation. */

const FOLDER = join(import.meta.dir, '..');
/** Limits the search, such as to `admin/`, while a room is being translated. */
const ROOM = process.env.TEXTS_IN ?? '';

const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(FOLDER)]
  .filter((path) => path.startsWith(ROOM) && !/^texts\/|\.test\.tsx?$|\.d\.ts$/.test(path))
  .sort();

interface FoundText {
  place: string;
  text: string;
}
const translated: FoundText[] = [];
const untranslated: FoundText[] = [];
const notLiteral: FoundText[] = [];

/** Attributes whose value is never shown. */
const SILENT =
  /^(class|href|id|key|type|name|icon|role|style|d|rel|autocomplete|target|for|data-(?!tip$).*|tone|kind|keys|viewBox)$/;
/** Elements whose content is the same in every language. */
const CODE = new Set(['code', 'kbd', 'pre', 'samp']);

/** A style, SQL, or a program of several lines. */
const isCode = (text: string) =>
  /var\(--|\n|^\s*(\{\} )?(AS|CASE|CAST|DELETE|DROP|FROM|IN|INSERT|IS|ORDER BY|SELECT|UNION|UPDATE|WHERE)\b/.test(
    text,
  );

/** A sentence or a phrase: words with spaces between them. A single capitalised word counts where it is shown. */
const isPhrase = (text: string) =>
  !isCode(text) &&
  (/(^|[\s(“])[A-Za-z’']{2,}[.,:;?!…”)]*\s+\S/.test(text) || /\s[a-z]{2,}[.?!…]*$/.test(text));
const isWord = (text: string) => /^[A-Z][a-z]+…?$/.test(text.trim());

function readLiteral(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function isTranslation(node: ts.Node): node is ts.CallExpression {
  return (
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && /^(t|rich)$/.test(node.expression.text)
  );
}

function callsIn(node: ts.Node): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (child: ts.Node): void => {
    if (isTranslation(child)) found.push(child);
    else ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
}

function look(file: ts.SourceFile, path: string): void {
  const place = (node: ts.Node) =>
    `dashboard/${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
  const visit = (node: ts.Node, isShown: boolean): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isTranslation(node)) {
      const text = readLiteral(node.arguments[0]);
      if (text === undefined) notLiteral.push({ place: place(node), text: node.getText(file).slice(0, 60) });
      else translated.push({ place: place(node), text });
      for (const argument of node.arguments.slice(1)) visit(argument, isShown);
      return;
    }
    if (ts.isJsxAttribute(node) && SILENT.test(node.name.getText(file))) return;
    // The name of a property is not shown.
    if (ts.isStringLiteral(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node) return;
    // What an error says to a developer is not shown. One for the person has `t`.
    const isSample = ts.isJsxElement(node) && CODE.has(node.openingElement.tagName.getText(file));
    if (isSample || ts.isThrowStatement(node)) {
      for (const call of callsIn(node)) visit(call, false);
      return;
    }
    if (ts.isPropertyAssignment(node) && /^(id|class|href|icon)$/.test(node.name.getText(file))) return;
    // The name that a library has for a text.
    if (ts.isPropertyAssignment(node) && isTranslation(node.initializer)) {
      visit(node.initializer, isShown);
      return;
    }
    if (
      ts.isCallExpression(node) &&
      /(\.closest|\.matches|\.querySelector|\.querySelectorAll)$/.test(node.expression.getText(file))
    )
      return;
    if (ts.isJsxText(node)) {
      if (/[A-Za-z]{2,}/.test(node.text) && !NOT_TEXTS.has(node.text.trim()))
        untranslated.push({ place: place(node), text: node.text.trim() });
      return;
    }
    const text = readLiteral(node) ?? (ts.isTemplateExpression(node) ? templateText(node) : undefined);
    if (text !== undefined && (isPhrase(text) || (isShown && isWord(text))) && !NOT_TEXTS.has(text))
      untranslated.push({ place: place(node), text });
    const shows = isShown || ts.isJsxExpression(node) || ts.isJsxAttribute(node);
    ts.forEachChild(node, (child) => visit(child, shows && !isHandler(node)));
  };
  visit(file, false);
}

/** Inside a function of an attribute, such as `onClick`, nothing is shown by itself. */
const isHandler = (node: ts.Node) =>
  ts.isFunctionLike(node) ||
  (ts.isBinaryExpression(node) && /===|!==/.test(ts.tokenToString(node.operatorToken.kind) ?? ''));

const templateText = (node: ts.TemplateExpression) =>
  node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');

for (const path of files) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  look(
    ts.createSourceFile(path, readFileSync(join(FOLDER, path), 'utf8'), ts.ScriptTarget.Latest, true, kind),
    path,
  );
}

/** Shown by `translated`. */
if (!ROOM)
  for (const { title, description } of TEMPLATES)
    for (const text of [title, description]) translated.push({ place: 'templates/catalog.json', text });

const say = ({ place, text }: FoundText) => `${place} ${text}`;
test('everything that the dashboard says goes through t', () => {
  expect(translated.length).toBeGreaterThan(0);
  expect(notLiteral.map(say)).toEqual([]);
  expect(untranslated.map(say)).toEqual([]);
});

test.each(TRANSLATED)('every text has a translation in %s that fits it, and no other has', (language) => {
  const catalog = readCatalog(language, ['dashboard']);
  expect(translated.filter(({ text }) => !Object.hasOwn(catalog, text)).map(say)).toEqual([]);
  expect(findMisfits(language, catalog)).toEqual([]);
  const needed = new Set(translated.map(({ text }) => text));
  if (!ROOM) expect(Object.keys(catalog).filter((text) => !needed.has(text))).toEqual([]);
  // What errors say too has one translation.
  const errors = Object.entries(readCatalog(language, ['errors']));
  expect(errors.filter(([text, other]) => text in catalog && !Bun.deepEquals(catalog[text], other))).toEqual(
    [],
  );
});
