import { expect, test } from 'bun:test';
import { createRefusals } from './refusals.ts';

const printed = (message: string) => JSON.stringify({ timestamp: 1, level: 'error', message });
const reason = (id: string, text: string) =>
  printed(`e = a.rs:1: failed: ${text}\nstack: a b; wdErrId = ${id}`);
const failure = (cell: string, id: string) =>
  printed(JSON.stringify({ cell, to: 'http://a', error: `internal error; reference = ${id}` }));

function cell(refusals: ReturnType<typeof createRefusals>, lane = 1) {
  const told: string[] = [];
  return { told, ...refusals.admit(lane, (line) => void told.push(line.replace('quire-egress: ', ''))) };
}

test('a reason and a request are brought together, whichever comes first, and told to whose it was', () => {
  const refusals = createRefusals();
  const [ada, bob] = [cell(refusals), cell(refusals)];
  refusals.line(reason('one', 'connecting to 10.0.0.1:80 is not allowed'));
  refusals.line(failure(bob.key, 'two'));
  refusals.line(failure(ada.key, 'one'));
  refusals.line(reason('two', 'failed to lookup address information: Name or service not known'));
  expect(ada.told).toEqual(['fetch to http://a was refused: 10.0.0.1:80 is not a public address.']);
  expect(bob.told).toEqual(['fetch to http://a failed: there is no such name.']);
});

test('who has left, or is nobody, is told nothing, and what is no such line does no harm', () => {
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
    printed('{"cell":'),
    printed('{"cell":1}'),
    printed('{"cell":"a"}'),
  ])
    expect(() => refusals.line(line)).not.toThrow();
  expect(gone.told).toEqual([]);
});

test('of reasons that nobody asks for, few are kept', () => {
  const refusals = createRefusals();
  const ada = cell(refusals);
  for (let i = 0; i <= 1_000; i++)
    refusals.line(reason(`id${i}`, `connecting to 10.0.0.1:${i} is not allowed`));
  refusals.line(failure(ada.key, 'id0'));
  refusals.line(failure(ada.key, 'id1'));
  expect(ada.told).toEqual(['fetch to http://a was refused: 10.0.0.1:1 is not a public address.']);
});
