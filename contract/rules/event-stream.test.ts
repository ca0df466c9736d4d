import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { EventParser, type ServerEvent } from './event-stream.ts';

function parse(...pieces: string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const parser = new EventParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  return events;
}

test('reads the id, the name and the data of an event', () => {
  expect(parse('id: 7\nevent: reset\ndata: {}\n\n')).toEqual([{ id: '7', name: 'reset', data: '{}' }]);
});

test('joins lines of data and drops one space after the colon', () => {
  expect(parse('data:a\ndata:  b\ndata\n\n')).toEqual([{ id: undefined, name: 'message', data: 'a\n b\n' }]);
});

test('ignores comments and unknown fields', () => {
  expect(parse(': still here\n\nretry: 5\n\n')).toEqual([]);
});

test('reports an event that has only an id', () => {
  expect(parse('id: r-1\n\n')).toEqual([{ id: 'r-1', name: 'message', data: undefined }]);
});

test('does not report an event before its empty line', () => {
  expect(parse('data: a\n')).toEqual([]);
  expect(parse('data: a\n', '\n')).toHaveLength(1);
});

test('accepts every line ending, and pieces that end anywhere', () => {
  const whole = ': hi\n\nid: 1\ndata: {"a":"ü"}\n\nevent: reset\ndata: x\ndata: y\n\ndata: \n\n';
  const expected = parse(whole);
  expect(expected).toHaveLength(3);
  const cuts = fc.array(fc.nat(whole.length + 12), { maxLength: 12 });
  fc.assert(
    fc.property(cuts, fc.constantFrom('\n', '\r', '\r\n'), (at, end) => {
      const text = whole.replaceAll('\n', end);
      const places = [0, ...at.toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((place, index) => text.slice(places[index], place));
      expect(parse(...pieces)).toEqual(expected);
    }),
  );
});
