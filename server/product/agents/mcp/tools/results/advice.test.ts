import { expect, test } from 'bun:test';
import { nameTools } from './advice.ts';

test.each([
  ['Update it with PATCH /api/functions/a-b.', 'Update it with update_function.'],
  ['Deploy one of your own with POST /api/functions.', 'Deploy one of your own with deploy_function.'],
  ['Its owner can change it with PATCH /api/pages/:id.', 'Its owner can change it with update_page.'],
  ['Check it first: POST /api/pages/7/check.', 'Check it first: check_page.'],
  [
    'Use /api/pages/7/social-data, or change it with PATCH /api/pages/7.',
    'Use type=social-data, or change it with update_page.',
  ],
  [
    'Add it with PUT /api/pages/7/files/img/a.png, or use a whole URL.',
    'Add it with write_files, or use a whole URL.',
  ],
  ['Wait, or stop it with DELETE /api/builder/7.', 'Wait, or stop it with the dashboard.'],
  ['Send a file with PUT, or see /docs/api.', 'Send a file with PUT, or see /docs/api.'],
])('%s', (sentence, expected) => {
  expect(nameTools(sentence)).toBe(expected);
});
