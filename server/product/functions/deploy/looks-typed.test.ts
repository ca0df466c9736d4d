import { expect, test } from 'bun:test';
import { looksTyped } from './looks-typed.ts';

test.each([
  'read<User>(text)',
  'new Map<string, number>()',
  'z.parse<Array<string>>(x)',
  'f<A | B>(x)',
  'f<a.B[]>(x)',
])('takes %s for TypeScript', (code) => {
  expect(looksTyped(`const x = ${code};`)).toBe(true);
});

test.each(['(a) => (b)', 'a < b && c > (d)', 'if (a<b) x>(y)', '"<p>(hello)"', 'i<10>(x)', 'a<b()>(c)'])(
  'takes %s for JavaScript',
  (code) => {
    expect(looksTyped(code)).toBe(false);
  },
);
