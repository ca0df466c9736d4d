import { expect, test } from 'bun:test';
import { parseEnvFile } from '../env-file.ts';
import { formatEnvFile } from './new-env-file.ts';

test('what is written has the same values when it is read', () => {
  const values = {
    ...{ PLAIN: 'postgres://u:p%40ss@10.0.0.4/quire?sslmode=verify-full', SPACES: '  two  and a tab\t' },
    ...{ QUOTES: `it's "so"`, SHELL: '$HOME `id` $(id) \\', COMMENT: '# no ; no', END: 'ends with \\' },
    ...{ OTHER: 'NAME=value', LETTERS: 'größer ✓', FROM: 'Quire <quire@example.com>' },
  };
  expect(parseEnvFile(formatEnvFile(values), 'quire.env')).toEqual(values);
});
