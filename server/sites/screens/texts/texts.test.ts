import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { findMisfits, TRANSLATED } from '../../../../test/support/catalogs.ts';
import { language, withRequestLanguage } from '../../../platform/http/index.ts';
import { readCatalog } from './catalogs.ts';
import { say, t, translated } from './texts.ts';

const german = <Result>(make: () => Result) =>
  withRequestLanguage(new Request('http://quire.test/', { headers: { 'accept-language': 'de' } }), make);

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
  if (path.endsWith('.test.ts')) continue;
  const file = ts.createSourceFile(path, readFileSync(join(FOLDER, path), 'utf8'), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 't') {
      const [text] = node.arguments;
      if (text && ts.isStringLiteralLike(text)) said.set(text.text, path);
    } else if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'say') {
      said.set(toKey(node.template), path);
    } else if (ts.isStringLiteralLike(node)) literals.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function toKey(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  const rest = template.templateSpans.map(({ literal }, index) => `{${index}}${literal.text}`);
  return template.head.text + rest.join('');
}

test.each(TRANSLATED)('every text of the screens has a translation in %s that fits it', (language) => {
  const catalog = readCatalog(language, ['screens']);
  const shared = readCatalog(language, ['errors']);
  expect(said.size).toBeGreaterThan(100);
  const missing = [...said].filter(([text]) => !Object.hasOwn(catalog, text) && !Object.hasOwn(shared, text));
  expect(missing).toEqual([]);
  expect(findMisfits(language, catalog)).toEqual([]);
  // The labels of fields and the meanings of scopes are literals elsewhere.
  const isNeeded = (text: string) => said.has(text) || literals.has(text);
  expect(Object.keys(catalog).filter((text) => !isNeeded(text) || text in shared)).toEqual([]);
});
