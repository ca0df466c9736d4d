import { expect, test } from 'bun:test';
import { isPublicName, isSecureUrl } from './host-names.ts';

test.each([
  ['localhost', false],
  ['p1.pages.localhost', false],
  ['127.0.0.1', false],
  ['[::1]', false],
  ['10.1.2.3', false],
  ['quire', false],
  ['quire.default.svc.cluster.local', false],
  ['node-1.internal', false],
  ['LOCALHOST.', false],
  ['example.com', true],
  ['rebind.example.com.', true],
  ['127.0.0.1.nip.io', true],
  ['localhost.example.com', true],
])('anyone can own %s: %p', (name, isPublic) => {
  expect(isPublicName(name)).toBe(isPublic);
});

test.each([
  ['https://login.example.com/realm', true],
  ['http://localhost:8080', true],
  ['http://127.0.0.1:8080/realm', true],
  ['http://[::1]:8080', true],
  ['http://login.example.com', false],
  ['http://10.0.0.1', false],
  ['http://127.0.0.1.example.com', false],
  ['ftp://localhost', false],
  ['localhost', false],
])('knows whether %s is secure: %p', (address, isSecure) => {
  expect(isSecureUrl(address)).toBe(isSecure);
});
