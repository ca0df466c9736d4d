import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';

/**
 * Finds the sentences that people can see in errors: what functions get as their parameter `sentence`, such as that of
 * `new AppError`, `notFound`, `fault` and `phrase`, and the rules of schemas.
 */

const ROOT = join(import.meta.dir, '../..');

export interface Sentence {
  place: string;
  text: string;
}

export interface Sentences {
  found: Sentence[];
  /** Arguments that are not literals, so that nobody can know the sentence. */
  unknown: Sentence[];
  /** Sentences whose values are not those of their places. */
  misfits: Sentence[];
}

interface Module {
  path: string;
  file: ts.SourceFile;
  /** The index of `sentence` by the name of the function or class that has it. Undefined for other functions. */
  takers: Map<string, number | undefined>;
  imports: Set<string>;
}

export function findSentences(): Sentences {
  const paths = [...new Bun.Glob('{server,contract,workers}/**/*.ts').scanSync(ROOT)].sort();
  const modules = paths.filter((path) => !/\.test\.ts$|\.d\.ts$/.test(path)).map(readModule);
  const shared = new Map<string, number>();
  const constants = new Map<string, ts.Expression>();
  for (const { file, takers } of modules) {
    for (const [name, index] of takers)
      if (index !== undefined && isExported(file, name)) shared.set(name, index);
    collectConstants(file, constants);
  }
  const sentences: Sentences = { found: [], unknown: [], misfits: [] };
  for (const module of modules) look(module, shared, constants, sentences);
  return sentences;
}

function readModule(path: string): Module {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const module: Module = { path, file, takers: new Map(), imports: new Set() };
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node)) module.imports.add(node.name.text);
    const name = isFunction(node) ? findName(node) : undefined;
    if (isFunction(node) && name !== undefined) {
      const index = node.parameters.findIndex((one) => one.name.getText(file) === 'sentence');
      const isKnown = module.takers.get(name) !== undefined;
      if (!isKnown) module.takers.set(name, index < 0 ? undefined : index);
    }
    // A class without a constructor has that of its parent.
    if (
      ts.isClassDeclaration(node) &&
      !node.members.some(ts.isConstructorDeclaration) &&
      readParent(node) === 'TextError'
    )
      module.takers.set(node.name?.text ?? '', 0);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return module;
}

/** A method of an interface counts as exported. */
const isExported = ({ text }: ts.SourceFile, name: string) =>
  name === 'limit' ||
  new RegExp(`^export (async )?(function|const|(abstract )?class) ${name}\\b`, 'm').test(text);

const isFunction = (node: ts.Node): node is ts.SignatureDeclaration =>
  ts.isFunctionLike(node) && !ts.isFunctionTypeNode(node);

function findName(node: ts.SignatureDeclaration): string | undefined {
  if (ts.isConstructorDeclaration(node)) return node.parent.name?.text;
  if (node.name) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : undefined;
}

const readParent = (node: ts.ClassLikeDeclaration) =>
  node.heritageClauses?.[0]?.types[0]?.expression.getText();

function collectConstants(file: ts.SourceFile, constants: Map<string, ts.Expression>): void {
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer && toTexts(node.initializer, () => undefined))
      constants
        .set(`${file.fileName} ${node.name.getText(file)}`, node.initializer)
        .set(node.name.getText(file), node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** The texts that an expression can be, if all are literals. */
function toTexts(
  node: ts.Expression,
  find: (name: string) => ts.Expression | undefined,
): string[] | undefined {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return toTexts(node.expression, find);
  if (ts.isConditionalExpression(node)) {
    const [one, other] = [toTexts(node.whenTrue, find), toTexts(node.whenFalse, find)];
    return one && other && [...one, ...other];
  }
  const known = ts.isIdentifier(node) ? find(node.text) : undefined;
  return known && toTexts(known, find);
}

/** Texts that were made elsewhere, with `phrase`, or are passed on. */
const isPassedOn = (node: ts.Expression) =>
  (ts.isIdentifier(node) && /^(sentence|text)$/.test(node.text)) ||
  (ts.isPropertyAccessExpression(node) && /^(text|error)$/.test(node.name.text));

function look(
  { path, file, takers, imports }: Module,
  shared: Map<string, number>,
  constants: Map<string, ts.Expression>,
  { found, unknown, misfits }: Sentences,
): void {
  const place = (node: ts.Node) =>
    `${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
  const find = (name: string) =>
    constants.get(`${path} ${name}`) ?? (imports.has(name) ? constants.get(name) : undefined);
  const findIndex = (node: ts.CallExpression | ts.NewExpression): number | undefined => {
    const { expression } = node;
    if (expression.kind === ts.SyntaxKind.SuperKeyword) {
      const owner = ts.findAncestor(node, ts.isClassLike);
      return shared.get((owner && readParent(owner)) ?? '');
    }
    if (ts.isPropertyAccessExpression(expression)) {
      const index = shared.get(expression.name.text);
      return expression.name.text === 'limit' ? index : undefined;
    }
    const name = expression.getText(file);
    if (takers.has(name)) return takers.get(name);
    return imports.has(name) ? shared.get(name) : undefined;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const index = findIndex(node);
      const argument = index === undefined ? undefined : node.arguments?.[index];
      if (argument) {
        const texts = toTexts(argument, find);
        for (const text of texts ?? []) found.push({ place: place(node), text });
        if (!texts && !isPassedOn(argument))
          unknown.push({ place: place(node), text: argument.getText(file).slice(0, 80) });
        const values = node.arguments?.[(index ?? 0) + 1];
        if (texts && values && ts.isObjectLiteralExpression(values) && !hasSpread(values)) {
          const given = values.properties.map((one) => one.name?.getText(file) ?? '');
          for (const text of texts)
            if (placesIn(text).some((name) => !given.includes(name)))
              misfits.push({ place: place(node), text });
        }
      }
    } else if (
      path.startsWith('contract/') &&
      ts.isStringLiteralLike(node) &&
      IS_RULE.test(node.text) &&
      isGiven(node)
    )
      found.push({ place: place(node), text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(file);
}

const hasSpread = (node: ts.ObjectLiteralExpression) => node.properties.some(ts.isSpreadAssignment);

export const placesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{(\w+)[|}]/g)].map(([, name = '']) => name)),
];

/** What the rule of a schema begins with. */
const IS_RULE = /^(must|is|has|cannot|needs|names) [a-z]/;

/** Rules are arguments, or properties such as `error`. Other texts are types and descriptions. */
const isGiven = ({ parent }: ts.Node): boolean =>
  ts.isCallExpression(parent) ||
  ts.isReturnStatement(parent) ||
  ts.isConditionalExpression(parent) ||
  ts.isVariableDeclaration(parent) ||
  (ts.isPropertyAssignment(parent) && !/^(description|summary|title)$/.test(parent.name.getText()));
