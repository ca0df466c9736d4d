import { expect, test } from 'bun:test';
import { createSealer, isTokenShaped, keyId, makeToken, ServiceKey, sign, verify } from './secrets.ts';

const OLD = Buffer.from('k'.repeat(32));
const NEW = Buffer.from('n'.repeat(32));
const key = new ServiceKey(OLD);

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
  const [id = '', body = '', signature = ''] = signed.split('.');
  const forged = Buffer.from('{"page":8,"exp":1000}').toString('base64url');
  expect(verify(new ServiceKey(Buffer.from('x'.repeat(32))), 'test', signed, 0)).toBeUndefined();
  expect(verify(key, 'other', signed, 0)).toBeUndefined();
  for (const bad of [
    '',
    '.',
    body,
    `${forged}.${signature}`,
    `${id}.${forged}.${signature}`,
    `${signed}.x`,
    `${body}.`,
    `${id}.${body}.${signature}AA`,
    `${keyId(NEW)}.${body}.${signature}`,
  ]) {
    expect(verify(key, 'test', bad, 0)).toBeUndefined();
  }
});

test('what was signed or sealed before keys had ids is still accepted', () => {
  const [, body, signature] = sign(key, 'test', { page: 7 }, 1000).split('.');
  expect(verify(key, 'test', `${body}.${signature}`, 0)).toMatchObject({ page: 7 });
  const sealer = createSealer(key, 'test');
  const [, text = ''] = sealer.seal('a secret', 'place').split('.');
  expect(sealer.open(text, 'place')).toBe('a secret');
  const both = createSealer(new ServiceKey(NEW, OLD), 'test');
  expect(both.open(text, 'place')).toBe('a secret');
});

test('while a key is replaced, both are accepted, and the old one is used until the new one may be', () => {
  const both = new ServiceKey(NEW, OLD);
  const after = new ServiceKey(NEW);
  const early = sign(both, 'test', {}, 1000);
  expect(early).toStartWith(`${keyId(OLD)}.`);
  expect(verify(key, 'test', early, 0)).toBeDefined();
  expect(verify(after, 'test', early, 0)).toBeUndefined();
  const sealer = createSealer(both, 'test');
  const sealed = sealer.seal('a secret', 'place');
  both.useNew();
  const late = sign(both, 'test', {}, 1000);
  for (const known of [both, after]) expect(verify(known, 'test', late, 0)).toBeDefined();
  expect(verify(both, 'test', early, 0)).toBeDefined();
  expect(verify(key, 'test', late, 0)).toBeUndefined();

  const again = sealer.reseal(sealed, 'place');
  expect(again).toStartWith(`${keyId(NEW)}.`);
  expect(sealer.reseal(again, 'place')).toBe('current');
  expect(createSealer(after, 'test').open(again, 'place')).toBe('a secret');
  expect(() => createSealer(after, 'test').open(sealed, 'place')).toThrow(`the key ${keyId(OLD)}`);
  expect(sealer.reseal(sealed, 'elsewhere')).toBe('lost');
  // Nothing of a key can be read from its id.
  for (const bytes of [OLD, NEW]) expect(`${early}${late}${sealed}${again}`).not.toContain(bytes.toString());
});
