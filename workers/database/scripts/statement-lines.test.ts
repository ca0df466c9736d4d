import { expect, test } from 'bun:test';
import { LAST_LINE } from '../../protocol.ts';
import { readAllLines, toLine } from './statement-lines.ts';

/** A sender of these statements that then ends, or hangs. */
function send(statements: string[], end: 'ends' | 'hangs'): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(statements.map(toLine).join('')));
      if (end === 'ends') controller.close();
    },
  });
}

async function read(stream: ReadableStream<Uint8Array>, stallMs?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const lines of readAllLines(stream, stallMs)) found.push(...lines);
  return found;
}

test('reads all statements up to the last line', async () => {
  expect(await read(send(['select 1', "select 'two\n'", LAST_LINE], 'ends'))).toEqual([
    'select 1',
    "select 'two\n'",
  ]);
});

test('fails if the last line does not come', async () => {
  await expect(read(send(['select 1'], 'ends'))).rejects.toThrow('the statements broke off');
});

test('fails if the sender hangs', async () => {
  await expect(read(send(['select 1'], 'hangs'), 10)).rejects.toThrow('the statements stopped arriving');
});
