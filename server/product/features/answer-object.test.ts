import { expect, test } from 'bun:test';
import { parseObject } from './answer-object.ts';

test.each(['{"a":1}', ' {"a":1}\n', '```json\n{"a":1}\n```', '```{"a":1}```', '```\n {"a":1} \n```\n'])(
  '%j is an object',
  (content) => {
    expect(parseObject(content)).toEqual({ a: 1 });
  },
);

test.each(['', '[1]', '"a"', '```', '```json', '``````', '{"a":1', '```json\n{"a":1}'])(
  '%j is no object',
  (content) => {
    expect(() => parseObject(content)).toThrow('did not answer in the requested format');
  },
);

test('a block of code with very many spaces is read in no time', () => {
  const spaces = ' '.repeat(500_000);
  expect(parseObject(`\`\`\`json${spaces}{"a":1}${spaces}\`\`\``)).toEqual({ a: 1 });
  expect(() => parseObject(`\`\`\`${spaces}x`)).toThrow('did not answer in the requested format');
});
