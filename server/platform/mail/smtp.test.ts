import { expect, test } from 'bun:test';
import { connectionOptions, parseSender } from './smtp.ts';

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: true }],
  ['smtp://mail.example.com:25', { port: 25, requireTLS: true }],
  ['smtps://mail.example.com', { port: 465, secure: true, requireTLS: false }],
  ['smtp://8.8.8.8', { host: '8.8.8.8', requireTLS: true }],
  ['smtp://[2001:4860:4860::8888]:25', { host: '2001:4860:4860::8888', port: 25, requireTLS: true }],
])('%s must be encrypted, with a certificate that is valid', (url, expected) => {
  const options = connectionOptions(url);
  expect(options).toMatchObject(expected);
  expect(options.tls?.rejectUnauthorized).toBe(true);
});

test.each([
  'smtp://127.0.0.1:25',
  'smtp://localhost',
  'smtp://[::1]',
  'smtp://10.1.2.3',
  'smtp://192.168.0.1',
  'smtp://172.31.0.1',
  'smtp://[fd00::1]',
  'smtp://postfix:25',
  'smtp://mail.internal',
  'smtps://mail.local',
])('%s is in a network of its operator, and may have no TLS or a certificate of its own', (url) => {
  const options = connectionOptions(url);
  expect(options.requireTLS).toBe(false);
  expect(options.tls?.rejectUnauthorized).toBe(false);
});

test.each([
  ['quire@example.com', { name: '', address: 'quire@example.com' }],
  ['Quire <quire@example.com>', { name: 'Quire', address: 'quire@example.com' }],
  ['"Quire, Inc." <quire@example.com>', { name: 'Quire, Inc.', address: 'quire@example.com' }],
])('reads the sender %s', (from, expected) => {
  expect(parseSender(from)).toEqual(expected);
});
