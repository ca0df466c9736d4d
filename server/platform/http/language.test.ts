import { expect, test } from 'bun:test';
import { chooseLanguage } from './language.ts';

const asked = (headers: Record<string, string>) =>
  chooseLanguage(new Request('http://quire.test/', { headers }));

test('the chosen language comes before those of the browser', () => {
  expect(asked({ cookie: 'a=1; quire_language=de', 'accept-language': 'en' })).toBe('de');
  expect(asked({ cookie: 'quire_language=en', 'accept-language': 'de' })).toBe('en');
  expect(asked({ cookie: 'quire_language=xx; my_quire_language=en', 'accept-language': 'de' })).toBe('de');
  expect(asked({ cookie: 'quire_language=constructor' })).toBe('en');
});

test('the first language of the browser that we have is used', () => {
  expect(asked({})).toBe('en');
  expect(asked({ 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' })).toBe('de');
  expect(asked({ 'accept-language': 'en;q=0.5,de;q=0.8' })).toBe('de');
  expect(asked({ 'accept-language': 'de;q=0, en' })).toBe('en');
  expect(asked({ 'accept-language': '*;q=x,,;;de' })).toBe('en');
  expect(asked({ 'accept-language': `${'x,'.repeat(10_000)}de` })).toBe('en');
});
