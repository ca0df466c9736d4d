import { expect, test } from 'bun:test';
import { createAcceptsHost } from './accepted-hosts.ts';

test.each([
  ['https://quire.example', ['quire.example', 'QUIRE.example.', 'quire.example:443', 'quire.example:3000']],
  ['http://192.168.1.5:3000', ['192.168.1.5:3000', '192.168.1.5']],
  ['http://[2001:db8::1]:3000', ['[2001:db8::1]:3000']],
  [
    'http://localhost:3000',
    ['localhost:3000', 'quire.localhost', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000'],
  ],
  ['http://127.0.0.1:3000', ['localhost:3000', '127.0.0.1:3000']],
])('at %s the service has the names %j', (baseUrl, names) => {
  const accepts = createAcceptsHost(baseUrl);
  for (const name of names) expect([name, accepts(name, '/')]).toEqual([name, true]);
});

test.each([
  [
    'https://quire.example',
    ['evil.example', 'localhost', '127.0.0.1:3000', '[::1]', 'a.quire.example', 'quire.example.evil.example'],
  ],
  [
    'http://localhost:3000',
    [
      'evil.example',
      '192.168.1.5:3000',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '0.0.0.0',
      '[::]',
    ],
  ],
])('at %s other names are not its own: %j', (baseUrl, names) => {
  const accepts = createAcceptsHost(baseUrl);
  for (const name of names) expect([name, accepts(name, '/')]).toEqual([name, false]);
});

test('operators can use any name or address', () => {
  const accepts = createAcceptsHost('https://quire.example');
  for (const path of ['/livez', '/readyz', '/readyz/haproxy', '/healthz', '/metrics', '/api/tls/allow'])
    expect([path, accepts('10.0.0.7:3000', path)]).toEqual([path, true]);
  for (const path of ['/', '/livez/', '/api/pages', '/metrics/x', '/x/livez'])
    expect([path, accepts('10.0.0.7:3000', path)]).toEqual([path, false]);
});
