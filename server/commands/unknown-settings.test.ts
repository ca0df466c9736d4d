import { expect, test } from 'bun:test';
import { unknownSettings } from './unknown-settings.ts';

test('names settings that do not exist, with the most similar one', () => {
  const environment = {
    QUIRE_QOUTA_PAGES: '5',
    QUIRE_BASEURL: '',
    QUIRE_NOTHING_LIKE_IT_AT_ALL: '1',
    QUIRE_DATA: './data',
    QUIRE_URL: 'http://localhost:3000',
    QUIRE_TOKEN: 'for the command line',
    QUIRE_TEST_ENGINE: 'sqlite',
    PATH: '/bin',
  };
  expect(unknownSettings(environment)).toEqual([
    'QUIRE_QOUTA_PAGES is not a setting and has no effect. Did you mean QUIRE_QUOTA_PAGES?',
    'QUIRE_BASEURL is not a setting and has no effect. Did you mean QUIRE_BASE_URL?',
    'QUIRE_NOTHING_LIKE_IT_AT_ALL is not a setting and has no effect.',
  ]);
});
