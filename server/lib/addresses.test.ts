import { expect, test } from 'bun:test';
import { blockMatcher, limitKey, parseBlock } from './addresses.ts';

test.each([
  ['10.0.0.0/8', true],
  ['::1', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['10.0.0/8', false],
  ['::1/129', false],
  ['example.com', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/', false],
  ['', false],
])('%j is an address block: %p', (text, isBlock) => {
  expect(parseBlock(text) !== undefined).toBe(isBlock);
});

test('an address matches its block, also when it is written as IPv6', () => {
  const isLocal = blockMatcher(['127.0.0.0/8', '::1', 'fd00::/8']);
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::1', 'fd12::1'])
    expect(isLocal(address)).toBe(true);
  for (const address of ['128.0.0.1', '::2', 'nonsense', '']) expect(isLocal(address)).toBe(false);
});

test('the addresses of an IPv6 customer count as one, however they are written', () => {
  expect(limitKey('192.0.2.1')).toBe('192.0.2.1');
  expect(limitKey('::ffff:192.0.2.1')).toBe('192.0.2.1');
  const key = limitKey('2001:db8:0:1::1');
  for (const same of ['2001:0DB8:0000:0001:ffff::', '2001:db8::1:2:3:4:5', '2001:db8:0:1:2:3:4:5']) {
    expect(limitKey(same)).toBe(key);
  }
  expect(limitKey('2001:db8:0:2::1')).not.toBe(key);
  expect(limitKey('::1')).toBe('0:0:0:0::/64');
});
