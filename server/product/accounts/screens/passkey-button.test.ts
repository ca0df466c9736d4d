import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRequestLanguage } from '../../../platform/http/index.ts';
import { translated } from '../../../sites/screens/index.ts';
import { SCRIPT_TEXTS } from './passkey-button.ts';

const read = (path: string) => readFileSync(join(import.meta.dir, '../../../..', path), 'utf8');

test('everything that the script of the login screens can say has a German translation', () => {
  const german = new Request('http://quire.test/', { headers: { 'accept-language': 'de' } });
  withRequestLanguage(german, () => {
    for (const text of SCRIPT_TEXTS) expect(translated(text)).not.toBe(text);
  });
  const [, explain = ''] = read('dashboard/webauthn.ts').split('export function explain');
  const said = [...(explain + read('dashboard/login/passkey.ts')).matchAll(/\bt\('([^']+)'/g)];
  expect(said.length).toBeGreaterThan(3);
  for (const [, text] of said) expect(SCRIPT_TEXTS).toContain(text as string);
});
