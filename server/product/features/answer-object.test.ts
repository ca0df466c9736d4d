import { expect, test } from 'bun:test';
import { parseAnswer, UnfitAnswer } from './answer-object.ts';

const parseObject = (content: string) => parseAnswer(content, { type: 'object' });
/** What the error says about an answer that does not fit. */
function findFault(content: string, schema: Record<string, unknown> = { type: 'object' }): unknown {
  try {
    return parseAnswer(content, schema);
  } catch (error) {
    return error instanceof UnfitAnswer ? error.toBody().message : error;
  }
}

test.each(['{"a":1}', ' {"a":1}\n', '```json\n{"a":1}\n```', '```{"a":1}```', '```\n {"a":1} \n```\n'])(
  '%j is an object',
  (content) => {
    expect(parseObject(content)).toEqual({ a: 1 });
  },
);

test.each(['', '[1]', '"a"', '```', '```json', '``````', '{"a":1', '```json\n{"a":1}'])(
  '%j is no object',
  (content) => {
    expect(findFault(content)).toContain('is not a JSON object');
  },
);

test('a block of code with very many spaces is read in no time', () => {
  const spaces = ' '.repeat(500_000);
  expect(parseObject(`\`\`\`json${spaces}{"a":1}${spaces}\`\`\``)).toEqual({ a: 1 });
  expect(findFault(`\`\`\`${spaces}x`)).toContain('is not a JSON object');
});

test('an object that does not fit is refused with what is wrong', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
  expect(parseAnswer('{"n":1}', schema)).toEqual({ n: 1 });
  expect(findFault('{"n":"1"}', schema)).toContain('response_format: n must be integer.');
  expect(findFault('{"m":1}', schema)).toContain('response_format: m is not a known argument.');
});
