import { expect, test } from 'bun:test';
import { toShortKey } from '../../../contract/rules/texts/short-key.ts';
import { findSharedKeys, findTexts, toScript } from './script-texts.ts';

const catalog = { Save: 'Speichern', 'It’s “{name}”': 'a', 'a "quoted" word': 'b', "don't": 'c', Never: 'd' };

test.each([
  ['t("Save")', ['Save']],
  ["t('Save')", ['Save']],
  ['t(`Save`)', ['Save']],
  ['t("It’s “{name}”")', ['It’s “{name}”']],
  ['t("It\\u2019s \\u201c{name}\\u201d")', ['It’s “{name}”']],
  ['t("a \\"quoted\\" word")', ['a "quoted" word']],
  [`t('a "quoted" word')`, ['a "quoted" word']],
  ["t('don\\'t')", ["don't"]],
  // A quote in a regular expression does not hide what follows.
  [`/["']/.test(x)?t("Save"):t("don't")`, ['Save', "don't"]],
  ['Save', []],
  ['', []],
])('finds the texts of %s', (code, texts) => {
  expect([...findTexts(code, catalog)].sort()).toEqual(texts.sort());
});

test('the script adds each translation by its short key, or by its text if another has the same key', () => {
  const run = (script: string) => {
    const scope: { quireTexts?: Record<string, unknown> } = {};
    new Function('globalThis', script)(scope);
    return scope.quireTexts;
  };
  const shared = new Set([toShortKey('Never')]);
  expect(run(toScript({ Save: 'Speichern', Never: 'Nie', 'The same': 'The same' }, shared))).toEqual({
    [toShortKey('Save')]: 'Speichern',
    Never: 'Nie',
  });
  expect(toScript({}, shared)).toBe('');
  expect(findSharedKeys(['a', 'b', 'a'])).toEqual(new Set([toShortKey('a')]));
});
