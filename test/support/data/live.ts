import { type TestApp, testApp } from '../app.ts';
import { takePorts } from '../ports.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read events of any shape
type Event = any;

/** A service in this process that also answers with WebSockets. */
export interface LiveApp extends TestApp {
  connect(pageId: number, options?: LiveOptions): Promise<LiveClient>;
}

export interface LiveOptions {
  cookie?: string;
  token?: string;
  origin?: string;
  /** Offered with the usual subprotocol. */
  protocols?: string[];
  /** The address it comes from. */
  peer?: string;
}

export async function liveApp(settings: Record<string, string> = {}): Promise<LiveApp> {
  const port = takePorts(1);
  const test = await testApp({ QUIRE_BASE_URL: `http://localhost:${port}`, ...settings });
  const server = Bun.serve({
    port,
    fetch: (request, self) =>
      test.app.fetch(request, () => request.headers.get('x-test-peer') ?? '127.0.0.1', self),
    websocket: test.app.webSocket,
  });
  return {
    ...test,
    connect: (pageId, options) => LiveClient.open(`localhost:${port}`, pageId, options),
    async stop() {
      test.app.endStreams();
      await server.stop(true);
      await test.stop();
    },
  };
}

/** A tab without a browser: sends requests over a WebSocket, and waits for what comes back. */
export class LiveClient {
  readonly events: Event[] = [];
  /** Resolves when the connection has ended, to the code. */
  readonly closed: Promise<number>;
  private readonly listeners = new Set<() => void>();
  private refs = 0;
  private tab: string | undefined;
  you: { id: number | string; username: string | null } = { id: '', username: null };

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => {
      for (const line of String(data).split('\n')) if (line) this.events.push(JSON.parse(line));
      for (const look of [...this.listeners]) look();
    };
    this.closed = new Promise((resolve) => {
      socket.onclose = ({ code }) => resolve(code);
    });
  }

  /** Connects, or fails with the status of the response. */
  static async open(host: string, pageId: number, options: LiveOptions = {}): Promise<LiveClient> {
    const url = `http://${host}/api/pages/${pageId}/live`;
    const headers = {
      ...(options.cookie && { cookie: options.cookie }),
      ...(options.token && { authorization: `Bearer ${options.token}` }),
      ...(options.origin && { origin: options.origin }),
      ...(options.peer && { 'x-test-peer': options.peer, 'x-forwarded-for': options.peer }),
    };
    const protocols = ['quire-live', ...(options.protocols ?? [])];
    const client = new LiveClient(new WebSocket(url.replace('http', 'ws'), { headers, protocols }));
    const refused = client.closed.then(async () => {
      // It was open.
      if (client.tab !== undefined) return client.events[0];
      const response = await fetch(url, {
        headers: {
          ...headers,
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          'sec-websocket-protocol': protocols.join(', '),
        },
      });
      throw new LiveRefusal(response.status, await response.json().catch(() => ({})));
    });
    const { you, tab } = await Promise.race([client.next((event) => event.type === 'welcome'), refused]);
    refused.catch(() => undefined);
    client.you = you;
    client.tab = tab;
    return client;
  }

  /** The first event that fits, also one that has already arrived. It is taken out. */
  async next(fits: (event: Event) => boolean): Promise<Event> {
    for (;;) {
      const at = this.events.findIndex(fits);
      if (at >= 0) return this.events.splice(at, 1)[0];
      await new Promise<void>((resolve) => {
        const look = () => {
          this.listeners.delete(look);
          resolve();
        };
        this.listeners.add(look);
      });
    }
  }

  /** Sends a request and returns what the service says to it. */
  ask(request: object): Promise<Event> {
    const ref = ++this.refs;
    this.send(JSON.stringify({ ref, ...request }));
    return this.next((event) => event.ref === ref && (event.tab === undefined || event.tab === this.tab));
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.socket.send(data);
  }

  join(channel: string): Promise<Event> {
    return this.ask({ type: 'join', channel });
  }

  say(channel: string, message: unknown): Promise<Event> {
    return this.ask({ type: 'send', channel, message });
  }

  /** The next message of somebody else. */
  async hear(): Promise<{ message: Event; from: Event }> {
    return this.next((event) => event.type === 'message');
  }

  /** Waits until exactly these people are in a channel. Earlier news of it are dropped. */
  async sees(channel: string, ids: Array<number | string>): Promise<void> {
    const wanted = ids.map(String).sort().join();
    for (;;) {
      const { presence } = await this.next((event) => isPresence(event, channel));
      const isLast = !this.events.some((event) => isPresence(event, channel));
      if (isLast && joinIds(presence) === wanted) return;
    }
  }

  close(): void {
    this.socket.close();
  }
}

const isPresence = (event: Event, channel: string) =>
  (event.type === 'presence' || event.type === 'joined') && event.channel === channel;

const joinIds = ({ people }: { people: { id: number | string }[] }) =>
  people
    .map(({ id }) => String(id))
    .sort()
    .join();

/** The service answered with something other than a WebSocket. */
export class LiveRefusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Event,
  ) {
    super(`refused with ${status} ${JSON.stringify(body)}`);
  }
}
