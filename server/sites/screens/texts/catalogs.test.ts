import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sayFailure } from '../../../../contract/errors.ts';
import { createTranslator } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { readCatalog } from './catalogs.ts';

test('a new language is a folder with catalogs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-texts-'));
  try {
    mkdirSync(join(folder, 'tlh'));
    const errors = {
      'The slug {slug} is taken by another page. Choose another.': '{slug} Suqlu’. Latlh yIwIv.',
    };
    writeFileSync(join(folder, 'tlh/errors.json'), JSON.stringify(errors));
    writeFileSync(join(folder, 'tlh/screens.json'), JSON.stringify({ 'Log in': 'yI’el' }));
    const klingon = createTranslator('tlh', readCatalog('tlh', ['errors', 'screens'], folder));
    expect(klingon.say('Log in')).toBe('yI’el');
    const taken = new AppError('SLUG_TAKEN', 'The slug {slug} is taken by another page. Choose another.', {
      slug: 'qagh',
    });
    expect(taken.message).toBe('The slug qagh is taken by another page. Choose another.');
    expect(sayFailure(taken.toBody(), klingon)).toBe('qagh Suqlu’. Latlh yIwIv.');
    expect(klingon.say('Log out')).toBe('Log out');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('English has no catalogs', () => {
  expect(readCatalog('en', ['errors', 'screens', 'dashboard'])).toEqual({});
});
