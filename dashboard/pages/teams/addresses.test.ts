import { expect, test } from 'bun:test';
import { splitAddresses } from './addresses.ts';

test.each([
  ['', []],
  ['ada@example.com', ['ada@example.com']],
  [
    'ada@example.com, bob@example.com;eve@example.com\n\n kim@example.com ',
    ['ada@example.com', 'bob@example.com', 'eve@example.com', 'kim@example.com'],
  ],
  ['Ada Lovelace <ada@example.com>, "Bob" <bob@example.com>', ['ada@example.com', 'bob@example.com']],
  ['ada@example.com ada@example.com', ['ada@example.com']],
  ['nobody', []],
])('%j has the addresses %j', (text, addresses) => {
  expect(splitAddresses(text)).toEqual(addresses as string[]);
});
