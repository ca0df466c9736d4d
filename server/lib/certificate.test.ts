import { expect, test } from 'bun:test';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { makeCertificate } from './certificate.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');

test('makes a certificate that is signed with its own key and valid now', () => {
  const { key, cert, fingerprint } = makeCertificate(NOW);
  const read = new X509Certificate(cert);
  expect(read.verify(read.publicKey)).toBeTrue();
  expect(read.checkPrivateKey(createPrivateKey(key))).toBeTrue();
  expect(Date.parse(read.validFrom)).toBe(Date.parse('2026-11-15T12:00:00Z'));
  expect(Date.parse(read.validTo)).toBeGreaterThan(NOW);
  const spki = read.publicKey.export({ type: 'spki', format: 'der' });
  expect(createHash('sha256').update(spki).digest('base64')).toBe(fingerprint);
});

test('makes another key each time', () => {
  expect(makeCertificate().fingerprint).not.toBe(makeCertificate().fingerprint);
});
