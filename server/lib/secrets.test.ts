import { expect, test } from 'bun:test';
import { isTokenShaped, makeToken, sign, verify } from './secrets.ts';

const key = Buffer.from('k'.repeat(32));

test('a token is recognized by its checksum, and a changed one is refused', () => {
  for (let i = 0; i < 200; i++) {
    const token = makeToken('qr_');
    expect(isTokenShaped(token)).toBe(true);
    const at = 3 + (i % (token.length - 3));
    const changed = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1);
    expect(isTokenShaped(changed)).toBe(false);
  }
});

test('a signed value is returned until it expires', () => {
  const signed = sign(key, 'test', { page: 7 }, 1000);
  expect(verify(key, 'test', signed, 999)).toEqual({ page: 7, exp: 1000 });
  expect(verify(key, 'test', signed, 1000)).toBeUndefined();
});

test('another key, purpose, content or format is refused', () => {
  const signed = sign(key, 'test', { page: 7 }, 1000);
  const [body = '', signature = ''] = signed.split('.');
  const forged = Buffer.from('{"page":8,"exp":1000}').toString('base64url');
  expect(verify(Buffer.from('x'.repeat(32)), 'test', signed, 0)).toBeUndefined();
  expect(verify(key, 'other', signed, 0)).toBeUndefined();
  for (const bad of [
    '',
    '.',
    body,
    `${forged}.${signature}`,
    `${signed}.x`,
    `${body}.`,
    `${body}.${signature}AA`,
  ]) {
    expect(verify(key, 'test', bad, 0)).toBeUndefined();
  }
});
