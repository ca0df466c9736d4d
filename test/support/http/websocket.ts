/** A WebSocket as a test uses it. */
export interface SocketClient {
  ws: WebSocket;
  send(data: string | Uint8Array): void;
  /** The next message. */
  next(): Promise<string | Uint8Array>;
  end: Promise<{ code: number; reason: string }>;
}

export interface SocketOptions {
  headers?: Record<string, string>;
  protocols?: string[];
}

/** Opens a WebSocket. Rejects if it is refused. */
export function openSocket(url: string, options: SocketOptions = {}): Promise<SocketClient> {
  const ws = new WebSocket(url, options as never);
  const messages: Array<string | Uint8Array> = [];
  let arrived = () => {};
  ws.binaryType = 'nodebuffer';
  ws.onmessage = ({ data }) => {
    messages.push(data as string | Uint8Array);
    arrived();
  };
  const end = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  const client: SocketClient = {
    ws,
    end,
    send: (data) => ws.send(data as string),
    async next() {
      while (messages.length === 0)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      return messages.shift() as string | Uint8Array;
    },
  };
  return new Promise((resolve, reject) => {
    ws.onopen = () => resolve(client);
    ws.onerror = () => reject(new Error('refused'));
  });
}

/** The headers of a request for a WebSocket, to read the response that refuses it. */
export const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
