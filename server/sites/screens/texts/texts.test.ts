import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { inLanguageOf, language } from '../../../platform/http/index.ts';
import { GERMAN } from './de/index.ts';
import { say, t, translated } from './texts.ts';

const german = <Result>(make: () => Result) =>
  inLanguageOf(new Request('http://quire.test/', { headers: { 'accept-language': 'de' } }), make);

test('a screen is in the language of the request, also after a wait', async () => {
  expect([language(), t('Log in')]).toEqual(['en', 'Log in']);
  const later = await german(async () => {
    await Bun.sleep(0);
    return [language(), t('Log in'), t('Join {name}', { name: '<b>' }), translated('Username')];
  });
  expect(later).toEqual(['de', 'Anmelden', '<b> beitreten', 'Benutzername']);
});

test('HTML is translated with its values, which are escaped', async () => {
  const joined = (name: string) => say`You are ${name} of the team of <strong>${'<i>'}</strong> already.`;
  expect(String(await joined('an admin'))).toBe(
    'You are an admin of the team of <strong>&lt;i&gt;</strong> already.',
  );
  const inGerman = String(await german(() => joined('<u>')));
  expect(inGerman).toContain('<strong>&lt;i&gt;</strong>');
  expect(inGerman).toContain('&lt;u&gt;');
  expect(inGerman).not.toContain('already');
});

/** What the server says by `t` and `say`, and every other literal. */
const said = new Map<string, string>();
const literals = new Set<string>();
const FOLDER = join(import.meta.dir, '../../../..');
for (const path of new Bun.Glob('{server,contract}/**/*.ts').scanSync(FOLDER)) {
  if (/\.test\.ts$|\/texts\/de\//.test(path)) continue;
  const file = ts.createSourceFile(path, readFileSync(join(FOLDER, path), 'utf8'), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 't') {
      const [text] = node.arguments;
      if (text && ts.isStringLiteralLike(text)) said.set(text.text, path);
    } else if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'say') {
      said.set(keyOf(node.template), path);
    } else if (ts.isStringLiteralLike(node)) literals.add(node.text);
    else if (ts.isTemplateExpression(node))
      literals.add(node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join(''));
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function keyOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  const rest = template.templateSpans.map(({ literal }, index) => `{${index}}${literal.text}`);
  return template.head.text + rest.join('');
}

test('every text of the screens has a German translation', () => {
  expect(said.size).toBeGreaterThan(100);
  expect([...said].filter(([text]) => !Object.hasOwn(GERMAN, text))).toEqual([]);
});

test('a translation has the same values as its text, and is needed', () => {
  const values = (text: string) => [...new Set(text.match(/\{\w+/g))].sort().join();
  const elements = (text: string) => (text.match(/<[^>]+>/g) ?? []).sort().join();
  const entries = Object.entries(GERMAN);
  expect(entries.filter(([text, other]) => values(text) !== values(other))).toEqual([]);
  expect(entries.filter(([text, other]) => elements(text) !== elements(other))).toEqual([]);
  // A message can have values, and what was not found is put together by a function.
  const isLiteral = (text: string) =>
    literals.has(text) ||
    literals.has(text.replaceAll(/\{\w+\}/g, '{}')) ||
    literals.has(text.replace(/ was not found\.$/, ''));
  expect(entries.filter(([text]) => !said.has(text) && !isLiteral(text))).toEqual([]);
});
