import { expect, test } from 'bun:test';
import { createRefusals } from './refusals.ts';

const printed = (message: string) => JSON.stringify({ timestamp: 1, level: 'error', message });
const reason = (id: string, text: string) =>
  printed(`e = a.rs:1: failed: ${text}\nstack: a b; wdErrId = ${id}`);
const failure = (cell: string, id: string) =>
  printed(
    JSON.stringify({
      event: 'request-failed',
      cell,
      to: 'http://a',
      error: `internal error; reference = ${id}`,
    }),
  );

function cell(refusals: ReturnType<typeof createRefusals>, lane = 1) {
  const lines: string[] = [];
  return { lines, ...refusals.admit(lane, (line) => void lines.push(line.replace('quire-egress: ', ''))) };
}

test('logs a failed request with its reason for the cell that sent it, whichever line comes first', () => {
  const refusals = createRefusals();
  const [ada, bob] = [cell(refusals), cell(refusals)];
  refusals.line(reason('one', 'connecting to 10.0.0.1:80 is not allowed'));
  refusals.line(failure(bob.key, 'two'));
  refusals.line(failure(ada.key, 'one'));
  refusals.line(reason('two', 'failed to lookup address information: Name or service not known'));
  expect(ada.lines).toEqual(['fetch to http://a was refused: 10.0.0.1:80 is not a public address.']);
  expect(bob.lines).toEqual(['fetch to http://a failed: there is no such name.']);
});

test('logs nothing for a cell that has ended, and ignores other lines', () => {
  const refusals = createRefusals();
  const gone = cell(refusals);
  gone.release();
  refusals.line(reason('one', 'connecting to 10.0.0.1:80 is not allowed'));
  refusals.line(failure(gone.key, 'one'));
  refusals.line(failure('nobody', 'one'));
  for (const line of [
    '',
    'x',
    '{}',
    'null',
    printed('{"event":'),
    printed('{"event":"request-failed","cell":1}'),
    printed('{"event":"request-failed","cell":"a"}'),
  ])
    expect(() => refusals.line(line)).not.toThrow();
  expect(gone.lines).toEqual([]);
});

test('keeps only the latest reasons that no request matches', () => {
  const refusals = createRefusals();
  const ada = cell(refusals);
  for (let i = 0; i <= 1_000; i++)
    refusals.line(reason(`id${i}`, `connecting to 10.0.0.1:${i} is not allowed`));
  refusals.line(failure(ada.key, 'id0'));
  refusals.line(failure(ada.key, 'id1'));
  expect(ada.lines).toEqual(['fetch to http://a was refused: 10.0.0.1:1 is not a public address.']);
});
