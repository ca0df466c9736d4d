/** WebSocket frames (RFC 6455) between the server and a cell. The other side runs owners' code and is not trusted. */

/** A message, or a control frame. */
export type Frame =
  | { kind: 'message'; data: string | Uint8Array }
  /** The code is 1005 if the frame has none. */
  | { kind: 'close'; code: number; reason: string }
  | { kind: 'ping'; data: Uint8Array }
  | { kind: 'pong' };

/** Thrown for bytes that are not frames, or too many. `code` is the close code that says why. */
export class FrameError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const OPCODES = { more: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;
const [FINAL, RESERVED, MASKED, CONTROL] = [0x80, 0x70, 0x80, 0x8];
/** Lengths above the largest short one are in the next two or eight bytes. */
const [MAX_SHORT, IN_TWO_BYTES, IN_EIGHT_BYTES] = [125, 126, 127];
const [PROTOCOL_ERROR, NOT_TEXT, TOO_LARGE, NO_CODE] = [1002, 1007, 1009, 1005];
const MASK_BYTES = 4;
/** A copy costs less than a second write up to about this size. */
const COPY_BYTES = 16 * 1024;

interface Head {
  isFinal: boolean;
  opcode: number;
  length: number;
}

/** Reads frames from the bytes of a connection, as they come. */
export class FrameReader {
  /** Bytes not read yet. They are joined only when there are enough, so that many small pieces cost no more than one. */
  #chunks: Uint8Array[] = [];
  #available = 0;
  #head: Head | undefined;
  /** The parts of a message in several frames. */
  #parts: Uint8Array[] = [];
  #partsBytes = 0;
  #opcode: number = OPCODES.more;

  constructor(private readonly maxBytes: number) {}

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#available += bytes.byteLength;
  }

  /** The next frame or complete message; undefined if more bytes are needed. */
  next(): Frame | undefined {
    for (;;) {
      this.#head ??= this.#readHead();
      if (!this.#head || this.#available < this.#head.length) return undefined;
      const head = this.#head;
      this.#head = undefined;
      const payload = this.#take(head.length);
      const frame = head.opcode >= CONTROL ? toControl(head.opcode, payload) : this.#toMessage(head, payload);
      if (frame) return frame;
    }
  }

  #readHead(): Head | undefined {
    if (this.#available < 2) return undefined;
    const start = this.#peek(2);
    const [first = 0, second = 0] = start;
    const opcode = first & 0xf;
    const isFinal = (first & FINAL) !== 0;
    if ((first & RESERVED) !== 0 || (second & MASKED) !== 0) throw broken();
    if (!Object.values<number>(OPCODES).includes(opcode)) throw broken();
    const short = second & 0x7f;
    if (opcode >= CONTROL && (!isFinal || short > MAX_SHORT)) throw broken();
    const bytes = short === IN_TWO_BYTES ? 2 : short === IN_EIGHT_BYTES ? 8 : 0;
    if (this.#available < 2 + bytes) return undefined;
    const head = this.#take(2 + bytes);
    const length = bytes === 0 ? short : Number(readNumber(head, 2));
    if (length + this.#partsBytes > this.maxBytes && opcode < CONTROL)
      throw new FrameError(TOO_LARGE, `A message can have ${this.maxBytes} bytes.`);
    return { isFinal, opcode, length };
  }

  #toMessage({ isFinal, opcode }: Head, payload: Uint8Array): Frame | undefined {
    const isFirst = opcode !== OPCODES.more;
    if (isFirst === (this.#opcode !== OPCODES.more)) throw broken();
    if (isFirst) this.#opcode = opcode;
    if (!isFinal) {
      // Empty parts would count for nothing and fill the memory.
      if (payload.byteLength > 0) this.#parts.push(payload);
      this.#partsBytes += payload.byteLength;
      return undefined;
    }
    const whole = this.#parts.length === 0 ? payload : Buffer.concat([...this.#parts, payload]);
    const isText = this.#opcode === OPCODES.text;
    this.#opcode = OPCODES.more;
    this.#parts = [];
    this.#partsBytes = 0;
    return { kind: 'message', data: isText ? toText(whole) : whole };
  }

  #peek(length: number): Uint8Array {
    this.#join(length);
    return this.#chunks[0] ?? new Uint8Array();
  }

  #take(length: number): Uint8Array {
    this.#join(length);
    const [first = new Uint8Array()] = this.#chunks;
    this.#available -= length;
    if (first.byteLength === length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(length);
    return first.subarray(0, length);
  }

  /** Makes the first chunk at least this long. */
  #join(length: number): void {
    if ((this.#chunks[0]?.byteLength ?? 0) < length) this.#chunks = [Buffer.concat(this.#chunks)];
  }
}

/** A message as a frame. */
export function encodeMessage(data: string | Uint8Array): Uint8Array[] {
  const isText = typeof data === 'string';
  return encode(isText ? OPCODES.text : OPCODES.binary, isText ? Buffer.from(data) : data);
}

/** A close frame; without a code if there is none that can be sent. */
export function encodeClose(code: number, reason: string): Uint8Array[] {
  if (!isSendable(code)) return encode(OPCODES.close, new Uint8Array());
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
  return encode(OPCODES.close, payload.subarray(0, MAX_SHORT));
}

export function encodePong(data: Uint8Array): Uint8Array[] {
  return encode(OPCODES.pong, data);
}

/** Clients must mask what they send, to protect proxies. Between two of our own processes, a mask of zeros is enough. */
function encode(opcode: number, payload: Uint8Array): Uint8Array[] {
  const length = payload.byteLength;
  const bytes = length <= MAX_SHORT ? 0 : length <= 0xffff ? 2 : 8;
  const head = Buffer.alloc(2 + bytes + MASK_BYTES);
  head[0] = FINAL | opcode;
  head[1] = MASKED | (bytes === 0 ? length : bytes === 2 ? IN_TWO_BYTES : IN_EIGHT_BYTES);
  if (bytes === 2) head.writeUInt16BE(length, 2);
  if (bytes === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return length <= COPY_BYTES ? [Buffer.concat([head, payload])] : [head, payload];
}

function toControl(opcode: number, payload: Uint8Array): Frame {
  if (opcode === OPCODES.ping) return { kind: 'ping', data: payload };
  if (opcode === OPCODES.pong) return { kind: 'pong' };
  if (payload.byteLength === 0) return { kind: 'close', code: NO_CODE, reason: '' };
  if (payload.byteLength === 1) throw broken();
  const code = Number(readNumber(payload.subarray(0, 2), 0));
  if (!isSendable(code)) throw broken();
  return { kind: 'close', code, reason: toText(payload.subarray(2)) };
}

function readNumber(bytes: Uint8Array, from: number): bigint {
  let value = 0n;
  for (const byte of bytes.subarray(from)) value = (value << 8n) | BigInt(byte);
  return value;
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FrameError(NOT_TEXT, 'A text message is not valid UTF-8.');
  }
}

function isSendable(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && !(code >= 1004 && code <= 1006);
}

function broken(): FrameError {
  return new FrameError(PROTOCOL_ERROR, 'The function sent something that is not a WebSocket frame.');
}
