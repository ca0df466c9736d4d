import { describe, expect, test } from 'bun:test';
import {
  describeRedirect,
  describeReturn,
  findFault,
  isRegistered,
  makeFormTargets,
  withAnswer,
} from './redirect-uris.ts';

describe('an address to return to', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example:8443/a?b=c',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]:1/x',
    'http://localhost:3333/oauth/callback',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'com.example.app:/callback',
  ])('can be %s', (uri) => {
    expect(findFault(uri)).toBeUndefined();
  });

  test.each([
    '',
    '/callback',
    'app.example',
    'http://app.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://127.1/callback',
    'http://2130706433/callback',
    'http://0x7f.0.0.1/callback',
    'http://127.0.0.1@evil.example/',
    'http://0.0.0.0/callback',
    'https://user@app.example/',
    'https://user:pass@app.example/',
    'https://@app.example/',
    'https://app.example/#x',
    'https://app.example/#',
    'HTTPS://app.example/',
    'https://APP.example/',
    'https:app.example',
    'https:/app.example',
    'https://app.example/a/../b',
    'https://app.example/%2e%2e/b',
    'https://app.example\\@evil.example/',
    'https://app.example/ x',
    'https://app.example/\r\nset-cookie:x',
    'https://app.example/\u202e',
    'https://äpp.example/',
    'javascript:alert(1)',
    'javascript://app.example/%0aalert(1)',
    'JavaScript://x/',
    'data:text/html,x',
    'blob:https://app.example/1',
    'file:///etc/passwd',
    'view-source:https://app.example/',
    'ms-msdt:/id',
    'intent://x/',
    'mailto:a@b.example',
    'about:blank',
    'ftp://app.example/',
    'ws://app.example/',
    'myapp:callback',
  ])('cannot be %j', (uri) => {
    expect(findFault(uri)).toBeString();
  });
});

describe('the address in a request', () => {
  const registered = [
    'https://app.example/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:7000/cb',
    'http://localhost:1/',
  ];

  test.each([
    'https://app.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:65535/cb',
    'http://[::1]/cb',
  ])('can be %s', (uri) => {
    expect(isRegistered(uri, registered)).toBe(true);
  });

  test.each([
    'https://app.example/cb/',
    'https://app.example/cb?x',
    'https://app.example/cb/../cb',
    'https://app.example/cb#',
    'https://app.example/CB',
    'https://app.example/c%62',
    'https://APP.example/cb',
    'https://app.example:443/cb',
    'https://app.example:8443/cb',
    'https://app.example.evil.example/cb',
    'https://evil.example/cb',
    'https://app.example@evil.example/cb',
    'https://evil.example/?https://app.example/cb',
    'http://app.example/cb',
    'https://127.0.0.1/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:80:80/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1/cb/x',
    'http://127.0.0.1:1@evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.2/cb',
    'http://127.1/cb',
    'http://localhost/cb',
    'http://localhost:1',
    'http://[::1%25eth0]/cb',
    '',
    'javascript:alert(1)',
  ])('cannot be %j', (uri) => {
    expect(isRegistered(uri, registered)).toBe(false);
  });
});

test('people see where an address leads', () => {
  expect(describeRedirect('https://app.example:8443/a')).toBe('app.example:8443');
  expect(describeRedirect('http://[::1]:7000/cb')).toBe('a program on your computer');
  expect(describeRedirect('cursor://x/y')).toBe('cursor://');
  expect(describeReturn('http://[::1]:7000/cb')).toBe('a program on your computer ([::1]:7000)');
  expect(describeReturn('https://app.example:8443/a')).toBe('app.example:8443');
});

test('a form can lead to the scheme of the address, and nothing that it contains ends the policy', () => {
  expect(makeFormTargets('https://app.example/;x')).toBe("'self' https:");
  expect(makeFormTargets('http://127.0.0.1:1/')).toBe("'self' http: https:");
  expect(makeFormTargets('com.example.app:/cb')).toBe("'self' com.example.app:");
});

test('an answer is added to the query that the address already has', () => {
  expect(withAnswer('https://a.example/cb', { code: 'x&y', state: undefined })).toBe(
    'https://a.example/cb?code=x%26y',
  );
  expect(withAnswer('https://a.example/cb?a=1', { state: 's' })).toBe('https://a.example/cb?a=1&state=s');
});
