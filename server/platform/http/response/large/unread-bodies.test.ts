import { expect, test } from 'bun:test';
import { UnreadBodies } from './unread-bodies.ts';

function makeBody(bytes: number) {
  const state = { isRead: false };
  return { state, body: { bytes, isOpen: () => !state.isRead } };
}

test('an address can have a quarter of all unread bytes, and not more', () => {
  const unread = new UnreadBodies(400);
  expect(unread.add('a', makeBody(60).body)).toBeUndefined();
  expect(unread.add('a', makeBody(40).body)).toBeUndefined();
  expect(unread.add('a', makeBody(1).body)).toBe('address');
  expect(unread.add('b', makeBody(100).body)).toBeUndefined();
  expect(unread.bytes).toBe(200);
});

test('all addresses together can have all unread bytes, and not more', () => {
  const unread = new UnreadBodies(400);
  for (const address of ['a', 'b', 'c', 'd']) expect(unread.add(address, makeBody(100).body)).toBeUndefined();
  expect(unread.add('e', makeBody(1).body)).toBe('total');
  expect(unread.bytes).toBe(400);
});

test('a few addresses cannot use up what everyone can have', () => {
  const unread = new UnreadBodies(4_000);
  const fill = (address: string) => {
    let taken = 0;
    while (unread.add(address, makeBody(10).body) === undefined) taken++;
    return taken;
  };
  expect(fill('a')).toBe(100);
  for (const address of ['b', 'c', 'd', 'e', 'f']) expect(fill(address)).toBeGreaterThan(20);
  expect(fill('somebody else')).toBeGreaterThan(10);
});

test('what others have read makes room for an address that has something', () => {
  const unread = new UnreadBodies(400);
  const others = ['b', 'c', 'd'].map((address) => {
    const made = makeBody(100);
    expect(unread.add(address, made.body)).toBeUndefined();
    return made;
  });
  expect(unread.add('a', makeBody(20).body)).toBeUndefined();
  for (const { state } of others) state.isRead = true;
  expect(unread.add('a', makeBody(20).body)).toBeUndefined();
});

test('bodies that were read no longer count', () => {
  const unread = new UnreadBodies(400);
  const bodies = ['a', 'b', 'c', 'd'].map((address) => {
    const made = makeBody(100);
    expect(unread.add(address, made.body)).toBeUndefined();
    return made;
  });
  for (const { state } of bodies) state.isRead = true;
  expect(unread.add('a', makeBody(100).body)).toBeUndefined();
  expect(unread.bytes).toBe(100);
});

test('a body that is larger than every share can be sent if nothing else is unread', () => {
  const unread = new UnreadBodies(400);
  expect(unread.add('a', makeBody(1_000).body)).toBeUndefined();
  expect(unread.add('a', makeBody(1).body)).toBe('total');
});

test('an address that is refused again and again does not cause a look at all bodies each time', () => {
  let now = 1_000;
  let looks = 0;
  const unread = new UnreadBodies(400, () => now);
  const first = { bytes: 100, isOpen: () => ++looks > 0 };
  unread.add('a', first);
  for (let time = 0; time < 50; time++) expect(unread.add('a', makeBody(10).body)).toBe('address');
  expect(looks).toBe(1);
  now += 20;
  expect(unread.add('a', makeBody(10).body)).toBe('address');
  expect(looks).toBe(2);
});
