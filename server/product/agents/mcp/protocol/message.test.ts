import { expect, test } from 'bun:test';
import { isSmall, refusalText, splitMessage } from './message.ts';

const call = (input: unknown, more = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'x', arguments: input, ...more },
});

test('takes the arguments of a tool out of its message, and nothing else', () => {
  const input = { html_content: '<p>' };
  expect(splitMessage(call(input, { _meta: { progressToken: 1 } }))).toEqual({
    message: call({}, { _meta: { progressToken: 1 } }),
    input,
  });
  for (const other of [call([]), call(5), call(undefined), 5, null, [], { method: 'tools/call' }]) {
    expect(splitMessage(other)).toEqual({ message: other, input: undefined });
  }
  const prompt = { ...call(input), method: 'prompts/get' };
  expect(splitMessage(prompt)).toEqual({ message: prompt, input: undefined });
});

test('a message is small up to the limits of values and characters', () => {
  // The list itself counts as a value too.
  expect(isSmall(Array(999).fill(1))).toBe(true);
  expect(isSmall(Array(1_000).fill(1))).toBe(false);
  expect(isSmall(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [at, 1])))).toBe(false);
  expect(isSmall({ a: 'x'.repeat(64 * 1024 - 1) })).toBe(true);
  expect(isSmall({ a: 'x'.repeat(64 * 1024) })).toBe(false);
  expect(isSmall({ ['x'.repeat(64 * 1024 + 1)]: 1 })).toBe(false);
  let deep: unknown = 1;
  for (let level = 0; level < 999; level++) deep = [deep];
  expect(isSmall(deep)).toBe(true);
  expect(isSmall([deep])).toBe(false);
});

test('a refusal has the id of its message, unless that is too long or not an id', () => {
  const readId = (id: unknown) => JSON.parse(refusalText(-32_600, 'no', { id })).id;
  for (const id of ['a', '', 0, -1, 'x'.repeat(1_000)]) expect(readId(id)).toBe(id);
  for (const id of ['x'.repeat(1_001), 1.5, null, {}, undefined]) expect(readId(id)).toBeNull();
});
