import { describe, expect, test } from 'bun:test';
import { encodeClose, encodeMessage, encodePong, type Frame, FrameError, FrameReader } from './frames.ts';

const MAX = 1000;

/** Reads all frames of some bytes that arrive in pieces of this size. */
function read(bytes: Uint8Array, size = bytes.length): Frame[] {
  const reader = new FrameReader(MAX);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    reader.push(bytes.subarray(at, at + size));
    for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame);
  }
  return frames;
}

/** A frame as a function sends it, without a mask. */
function frame(first: number, payload: Uint8Array | string, lengthBytes?: number): Buffer {
  const body = Buffer.from(payload as string);
  const bytes = lengthBytes ?? (body.length < 126 ? 0 : 2);
  const length = Buffer.alloc(bytes);
  if (bytes === 2) length.writeUInt16BE(body.length);
  if (bytes === 8) length.writeBigUInt64BE(BigInt(body.length));
  return Buffer.concat([
    Buffer.from([first, bytes === 0 ? body.length : bytes === 2 ? 126 : 127]),
    length,
    body,
  ]);
}
const readCode = (bytes: Uint8Array) => {
  try {
    read(bytes);
    return 'none';
  } catch (error) {
    return error instanceof FrameError ? error.code : error;
  }
};

describe('frames of a function', () => {
  const long = 'é'.repeat(300);
  const stream = Buffer.concat([
    frame(0x81, 'hello'),
    frame(0x82, new Uint8Array([0, 255])),
    frame(0x81, ''),
    frame(0x81, long),
    frame(0x82, 'eight', 8),
    // A message in three parts, with a ping between them.
    frame(0x01, 'a'),
    frame(0x89, 'ping'),
    frame(0x00, 'b'),
    frame(0x8a, ''),
    frame(0x80, 'c'),
    frame(0x88, Buffer.concat([Buffer.from([0x0f, 0xa1]), Buffer.from('bye')])),
  ]);

  test.each([1, 2, 3, 7, 100, 10_000])('are read from pieces of %d bytes', (size) => {
    expect(read(stream, size)).toEqual([
      { kind: 'message', data: 'hello' },
      { kind: 'message', data: Buffer.from([0, 255]) },
      { kind: 'message', data: '' },
      { kind: 'message', data: long },
      { kind: 'message', data: Buffer.from('eight') },
      { kind: 'ping', data: Buffer.from('ping') },
      { kind: 'pong' },
      { kind: 'message', data: 'abc' },
      { kind: 'close', code: 4001, reason: 'bye' },
    ]);
  });

  test('can have the largest size, in one part or several, and not one byte more', () => {
    expect(read(frame(0x82, Buffer.alloc(MAX)))).toHaveLength(1);
    expect(readCode(frame(0x82, Buffer.alloc(MAX + 1)))).toBe(1009);
    const parts = (last: number) =>
      Buffer.concat([frame(0x02, Buffer.alloc(600)), frame(0x80, Buffer.alloc(last))]);
    expect(read(parts(400))).toHaveLength(1);
    expect(readCode(parts(401))).toBe(1009);
    // The message is refused before any of it has arrived.
    expect(readCode(Buffer.from([0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255]))).toBe(1009);
  });

  test.each<[string, Uint8Array, number]>([
    ['are masked', Buffer.from([0x81, 0x80, 0, 0, 0, 0]), 1002],
    ['have reserved bits', frame(0xc1, 'x'), 1002],
    ['have an unknown code', frame(0x83, 'x'), 1002],
    ['continue nothing', frame(0x80, 'x'), 1002],
    ['begin another message', Buffer.concat([frame(0x01, 'x'), frame(0x81, 'y')]), 1002],
    ['are a control frame in parts', frame(0x09, 'x'), 1002],
    ['are a long control frame', frame(0x89, Buffer.alloc(126)), 1002],
    ['close with half a code', frame(0x88, 'x'), 1002],
    ['close with a code that must not be sent', frame(0x88, new Uint8Array([0x03, 0xee])), 1002],
    ['are text that is not UTF-8', frame(0x81, new Uint8Array([0xff])), 1007],
  ])('are refused if they %s', (_, bytes, code) => {
    expect(readCode(bytes)).toBe(code);
  });
});

test('frames to a function have a mask and the right length', () => {
  const measureFrame = (size: number) => {
    const bytes = Buffer.concat(encodeMessage(Buffer.alloc(size)));
    return [bytes[1], bytes.length - size];
  };
  expect([0, 125, 126, 65_535, 65_536].map(measureFrame)).toEqual([
    [0x80, 6],
    [0x80 | 125, 6],
    [0x80 | 126, 8],
    [0x80 | 126, 8],
    [0x80 | 127, 14],
  ]);
  expect(Buffer.concat(encodeMessage('é'))).toEqual(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0xa9]));
  expect(Buffer.concat(encodePong(Buffer.from('x')))[0]).toBe(0x8a);
  expect(Buffer.concat(encodeClose(1005, ''))).toEqual(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
  expect(Buffer.concat(encodeClose(1000, 'x'.repeat(200)))).toHaveLength(6 + 125);
});
