import { connect, type Socket } from 'node:net';

/** A TCP connection, to send what no HTTP client would. */

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface RawConnection {
  socket: Socket;
  /** Resolves when the kernel has the bytes. Returns false if the other side no longer accepts any. */
  send(data: string | Uint8Array): Promise<boolean>;
  /**
   * The next response on this connection, including interim ones, or undefined if it is closed without one.
   */
  answer(timeoutMs?: number, method?: string): Promise<RawAnswer | undefined>;
  /** Resolves when the connection is closed in any way. */
  closed: Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 60_000;

export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A reset is fine too: the connection is closed.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      resolve();
      wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });

  return {
    socket,
    closed,
    send: (data) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false);
        socket.write(data, (error) => resolve(!error));
        void closed.then(() => resolve(false));
      }),
    async answer(timeoutMs = TIMEOUT_MS, method = 'GET') {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const parsed = parseAnswer(received, isClosed, method);
        if (parsed) {
          received = received.subarray(parsed.length);
          return parsed.answer;
        }
        if (isClosed) return undefined;
        const left = deadline - Date.now();
        if (left <= 0) throw new Error(`no answer in ${timeoutMs} ms, only: ${received.toString()}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    close: () => socket.destroy(),
  };
}

/** Sends one request in one piece, and reads the response. */
export async function exchange(
  port: number,
  request: string | Uint8Array,
  timeoutMs?: number,
): Promise<RawAnswer | undefined> {
  const connection = await openConnection(port);
  try {
    await connection.send(request);
    const method = Buffer.from(request.slice(0, 5)).toString() === 'HEAD ' ? 'HEAD' : 'GET';
    return await connection.answer(timeoutMs, method);
  } finally {
    connection.close();
  }
}

function parseAnswer(
  bytes: Buffer,
  isClosed: boolean,
  method: string,
): { answer: RawAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyAt = headEnd + 4;
  const end = method === 'HEAD' ? bodyAt : bodyEnd(bytes, bodyAt, status, headers, isClosed);
  if (end === undefined) return undefined;
  const isChunked = headers['transfer-encoding'] === 'chunked';
  const body = bytes.subarray(bodyAt, end);
  return { answer: { status, headers, body: (isChunked ? joinChunks(body) : body).toString() }, length: end };
}

function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const sizeEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, sizeEnd), 16);
    chunks.push(body.subarray(sizeEnd + 2, sizeEnd + 2 + size));
    at = sizeEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}

function bodyEnd(
  bytes: Buffer,
  from: number,
  status: number,
  headers: Record<string, string>,
  isClosed: boolean,
): number | undefined {
  if (status < 200 || status === 204 || status === 304) return from;
  if (headers['transfer-encoding'] === 'chunked') {
    const last = bytes.indexOf('0\r\n\r\n', from);
    return last < 0 ? undefined : last + 5;
  }
  if (headers['content-length'] === undefined) return isClosed ? bytes.length : undefined;
  const end = from + Number(headers['content-length']);
  return bytes.length >= end ? end : undefined;
}
