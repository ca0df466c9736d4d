import { describe, expect, test } from 'bun:test';
import { createIsServiceHost } from './service-hosts.ts';

describe('a public service', () => {
  const isServiceHost = createIsServiceHost({
    baseUrl: 'https://quire.example.com',
    pagesHost: 'pages.example.net:8443',
    functionsHost: 'calls.example.net',
    pages: { ofDomain: async (domain) => (domain === 'shop.example' ? 7 : undefined) },
  });
  test.each([
    'https://quire.example.com/p/page/client.json',
    'https://quire.example.com:8443/client.json',
    'https://quire.example.com./client.json',
    'https://QUIRE.example.com/client.json',
    'https://pages.example.net/client.json',
    'https://p7.pages.example.net/client.json',
    'https://a.b.pages.example.net./client.json',
    'https://f7.calls.example.net/client.json',
    'https://shop.example/client.json',
    'https://shop.example.:444/client.json',
  ])('answers at %s', async (url) => expect(await isServiceHost(url)).toBe(true));

  test.each([
    'https://example.com/client.json',
    'https://app.quire.example.com/client.json',
    'https://notquire.example.com/client.json',
    'https://xpages.example.net/client.json',
    'https://www.shop.example/client.json',
    'qrc_an_id',
  ])('does not answer at %s', async (url) => expect(await isServiceHost(url)).toBe(false));
});

test('a service on this machine differs from others there by its port', async () => {
  const options = { pagesHost: 'pages.localhost:3000', functionsHost: undefined };
  const pages = { ofDomain: async () => undefined };
  const isServiceHost = createIsServiceHost({ ...options, baseUrl: 'http://localhost:3000', pages });
  const at = (host: string) => isServiceHost(`http://${host}/client.json`);
  for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'p1.pages.localhost:3000'])
    expect([host, await at(host)]).toEqual([host, true]);
  for (const host of ['localhost:4000', '127.0.0.1:4000'])
    expect([host, await at(host)]).toEqual([host, false]);
});
