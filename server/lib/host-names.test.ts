import { expect, test } from 'bun:test';
import { isPublicName } from './host-names.ts';

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
