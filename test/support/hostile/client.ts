import { connect } from 'node:net';

export interface HostileAnswer {
  status: number;
  /** The size of the response in bytes, with headers. */
  bytes: number;
  /** Its first characters. */
  start: string;
}

const ANSWER_MS = 30_000;

/** Sends one request on a new connection. An event stream counts as complete after its headers. */
export function sendHostile(
  port: number,
  request: { method: string; target: string; headers: Record<string, string>; body?: Uint8Array },
): Promise<HostileAnswer> {
  const { method, target, body } = request;
  const headers = { host: `localhost:${port}`, connection: 'close', ...request.headers };
  const length = body ? `content-length: ${body.byteLength}\r\n` : '';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}${length}\r\n`, 'latin1');
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let bytes = 0;
    let start = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer in ${ANSWER_MS} ms, only: ${start}`));
    }, ANSWER_MS);
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1] ?? 0), bytes, start });
    };
    socket.on('data', (chunk: Buffer) => {
      if (start.length < 2_000) start += chunk.toString('latin1', 0, 2_000);
      bytes += chunk.byteLength;
      if (/\r\ncontent-type: text\/event-stream/i.test(start)) finish();
    });
    // The server may reset the connection after the response, because it has read enough.
    socket.on('error', () => undefined);
    socket.on('close', finish);
    socket.write(head);
    if (body) socket.write(body);
  });
}
