import { expect, test } from 'bun:test';
import { includesText } from './resolver.ts';

test.each([
  [['value'], true],
  [['other', 'value', 'more'], true],
  [['val', 'ue'], true],
  [['other', 'v', 'a', 'lue', 'more'], true],
  [['val', 'val', 'ue'], true],
  [['ue', 'val'], false],
  [['val', 'other', 'ue'], false],
  [['value '], false],
  [['values'], false],
  [['val'], false],
  [['', 'value'], true],
  [['val', '', 'ue'], false],
  [[''], false],
  [[], false],
])('%j includes the value: %p', (texts, expected) => {
  expect(includesText(texts, 'value')).toBe(expected);
});
