import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createEventParser, type ServerEvent } from './event-stream.ts';

function parse(...pieces: string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const read = createEventParser((event) => events.push(event));
  for (const piece of pieces) read(piece);
  return events;
}

test('an event has an id, a name and data', () => {
  expect(parse('id: 7\nevent: reset\ndata: {}\n\n')).toEqual([{ id: '7', name: 'reset', data: '{}' }]);
});

test('lines of data are joined, one space after the colon is dropped', () => {
  expect(parse('data:a\ndata:  b\ndata\n\n')).toEqual([{ id: undefined, name: 'message', data: 'a\n b\n' }]);
});

test('comments and unknown fields are no events', () => {
  expect(parse(': still here\n\nretry: 5\n\n')).toEqual([]);
});

test('an id alone moves the id on', () => {
  expect(parse('id: r-1\n\n')).toEqual([{ id: 'r-1', name: 'message', data: undefined }]);
});

test('an event that is not finished is not told', () => {
  expect(parse('data: a\n')).toEqual([]);
  expect(parse('data: a\n', '\n')).toHaveLength(1);
});

test('lines may end in any way and pieces anywhere', () => {
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
