import { limitKey } from '../../../../lib/addresses.ts';
import { AppError } from '../../../../lib/errors.ts';
import { toNetwork } from '../../sockets/shares.ts';
import { SendQueue } from './send-queue.ts';
import { streamInTurns } from './stream-in-turns.ts';
import { UnreadBodies } from './unread-bodies.ts';

/** Smaller bodies are sent at once. */
const LARGE_BYTES = 256 * 1024;
/** The system takes about this much of a body that is not read, at most. */
const MAX_IN_SYSTEM_BYTES = 4 * 1024 * 1024;
/** What clients have not read yet can take this much memory together. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024 * 1024;

export interface SizedBody {
  bytes: number;
  /**
   * `whole`: the response is sent as it is when its turn comes, such as a file. `memory`: the body of the response is sent
   * in pieces. An array, which many responses share: it is sent in pieces, and the response has no body of its own.
   */
  from: 'whole' | 'memory' | Uint8Array;
  /** The owner of the page that the body is of, if any. */
  ownerId?: number | undefined;
}

const known = new WeakMap<Response, SizedBody>();

/** Whether a body of this size is sent through `LargeBodies`. */
export function isLarge(bytes: number): boolean {
  return bytes > LARGE_BYTES;
}

/** Says how large the body of a response is. The front door sends large ones through `LargeBodies`. */
export function withSize(response: Response, body: SizedBody): Response {
  if (isLarge(body.bytes)) known.set(response, body);
  return response;
}

/** The size of a large body. Undefined if the response is small, or its size is not known. */
export const findLargeBody = (response: Response): SizedBody | undefined => known.get(response);

/** The response to HEAD, with the length that the body has. */
export function withLength(response: Response, { bytes, from }: SizedBody): Response {
  if (from instanceof Uint8Array) response.headers.set('content-length', String(bytes));
  return response;
}

/** Who reads a body. */
interface Reader {
  address: string;
  isOpen(): boolean;
}

/**
 * Sends large bodies without delaying everyone else. The system takes megabytes of a body at once, so bodies in memory
 * are sent in pieces and those of files begin one after the other. Each address has a share of what can be unread, so that
 * many slow readers do not use up the memory.
 */
export class LargeBodies {
  readonly #queue = new SendQueue();
  readonly #unread: UnreadBodies;

  constructor({ maxUnreadBytes = MAX_UNREAD_BYTES } = {}) {
    this.#unread = new UnreadBodies(maxUnreadBytes);
  }

  /** Resolves when it is this body's turn, with the response to send. Fails if too much is unread. */
  async send(response: Response, body: SizedBody, reader: Reader): Promise<Response> {
    const address = limitKey(reader.address);
    const inSystem = Math.min(body.bytes, MAX_IN_SYSTEM_BYTES);
    const unread = { bytes: body.from === 'memory' ? body.bytes : inSystem, isOpen: () => reader.isOpen() };
    // One customer can have tens of thousands of addresses in their IPv6 network.
    const holder = toNetwork(address) ?? address;
    const refusal = unread.isOpen() ? this.#unread.add(holder, unread) : undefined;
    if (refusal) {
      // The body may come from a bucket, whose connection would stay open.
      await response.body?.cancel();
      throw tooMuchUnread(refusal);
    }
    const keys = body.ownerId === undefined ? [address] : [address, `owner ${body.ownerId}`];
    if (body.from === 'whole') {
      await this.#queue.wait(inSystem, keys);
      return response;
    }
    const { status, headers } = response;
    const memory = body.from === 'memory' ? await response.bytes() : body.from;
    const stream = streamInTurns(memory, (bytes) => this.#queue.wait(bytes, keys));
    return new Response(stream, { status, headers });
  }
}

function tooMuchUnread(refusal: 'address' | 'total'): AppError {
  const headers = { 'retry-after': '5' };
  return refusal === 'address'
    ? new AppError(
        'RATE_LIMITED',
        'Your address has too many downloads that are not read yet. Finish or close some, then try again.',
        {},
        { headers },
      )
    : new AppError(
        'UNAVAILABLE',
        'The server is sending too many large files. Try again in a moment.',
        {},
        {
          headers,
        },
      );
}
