import { expect, test } from 'bun:test';
import { AtOnce } from './at-once.ts';

test('each key has its own limit, and what ends twice counts once', () => {
  const running = new AtOnce<string>(2);
  const [first, second] = [running.enter('a'), running.enter('a')];
  expect(running.enter('a')).toBeUndefined();
  expect(running.enter('b')).toBeDefined();
  first?.();
  first?.();
  expect(running.enter('a')).toBeDefined();
  expect(running.enter('a')).toBeUndefined();
  second?.();
  expect(running.enter('a')).toBeDefined();
});
