import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { estimateTokens, MAX_LINE_LENGTH, readFigure, rewriteLines } from './usage.ts';

test('a figure is a whole number from 0 to a billion, or undefined', () => {
  const cases: Array<[unknown, number | undefined]> = [
    [0, 0],
    [-0.5, 0],
    [12.99, 12],
    [1_000_000_000, 1_000_000_000],
    [1_000_000_001, 1_000_000_000],
    [Number.POSITIVE_INFINITY, 1_000_000_000],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.NaN, undefined],
    ['12', undefined],
    [null, undefined],
    [undefined, undefined],
    [[3], undefined],
  ];
  for (const [value, figure] of cases) expect(readFigure(value)).toBe(figure as number);
});

test('a text has about one token for four characters', () => {
  expect(['', 'a', 'abcd', 'abcde'].map(estimateTokens)).toEqual([0, 1, 1, 2]);
});

test('lines are rewritten whole, however their bytes arrive', async () => {
  const text = fc.array(fc.constantFrom('a', '\n', 'é', '🦊', '\r\n', ' '), { maxLength: 40 });
  const property = fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (pieces, step) => {
    const input = pieces.join('');
    const output = await rewrite(input, step, (line) => `<${line}>`);
    const lines = input.split('\n');
    const last = lines.pop();
    expect(output).toBe(lines.map((line) => `<${line}>\n`).join('') + (last ? `<${last}>` : ''));
  });
  await fc.assert(property, { numRuns: 200 });
});

test('a line can be as long as the limit and no longer', async () => {
  const most = 'x'.repeat(MAX_LINE_LENGTH);
  expect((await rewrite(most, 65_536, (line) => line)).length).toBe(MAX_LINE_LENGTH);
  await expect(rewrite(`${most}x`, 65_536, (line) => line)).rejects.toThrow('too long');
});

test('others can work while many lines that arrived at once are read', async () => {
  let turns = 0;
  let isRead = false;
  const others = () => {
    turns++;
    if (!isRead) setImmediate(others);
  };
  setImmediate(others);
  const input = 'data: x\n'.repeat(5_000);
  expect(await rewrite(input, input.length, (line) => line)).toBe(input);
  isRead = true;
  expect(turns).toBeGreaterThan(20);
});

function rewrite(input: string, step: number, change: (line: string) => string): Promise<string> {
  const bytes = new TextEncoder().encode(input);
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += step) controller.enqueue(bytes.slice(at, at + step));
      controller.close();
    },
  });
  return new Response(source.pipeThrough(rewriteLines(change))).text();
}
