import { expect, test } from 'bun:test';
import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { addWarnings } from './add-warnings.ts';

const warning = (message: string, file?: string): PageWarning => ({
  code: 'MISSING_FILE',
  message,
  ...(file && { file }),
});
const saved = (...paths: string[]) => new Map(paths.map((path) => [path, '']));

test('warnings about other files are shown although index.html was not saved', () => {
  const about = warning('b', 'about.html');
  expect(addWarnings([], [about], saved('about.html'))).toEqual([about]);
});

test('what is known of other files stays, and what was saved is replaced', () => {
  const known = [warning('a'), warning('b', 'about.html'), warning('c', 'app.js')];
  const found = [warning('d', 'about.html')];
  expect(addWarnings(known, found, saved('about.html')).map(({ message }) => message)).toEqual([
    'a',
    'c',
    'd',
  ]);
  expect(addWarnings(known, [], saved('index.html')).map(({ message }) => message)).toEqual(['b', 'c']);
});

test('a warning that comes again is shown once', () => {
  expect(addWarnings([warning('a')], [warning('a')], saved('app.js'))).toEqual([warning('a')]);
});
