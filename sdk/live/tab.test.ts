import { afterEach, expect, test } from 'bun:test';
import { LIVE_CLOSE } from '../../contract/live/limits.ts';
import { LiveTab } from './tab.ts';

/** A tab and a service controlled by the test: it records what each connection asks for. */

interface TabConnection {
  protocols: string | null;
  requests: Array<{ type: string; ref: number; channel: string; message?: unknown }>;
  send(...events: object[]): void;
  close(code: number): void;
}

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function stage(status = () => 200) {
  const asked: TabConnection[] = [];
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const look of [...listeners]) look();
  };
  const server = Bun.serve<TabConnection>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      const data: TabConnection = {
        protocols: request.headers.get('sec-websocket-protocol'),
        requests: [],
        send: () => undefined,
        close: () => undefined,
      };
      return self.upgrade(request, { data }) ? undefined : new Response(null, { status: 426 });
    },
    websocket: {
      open(ws) {
        ws.data.send = (...events) => void ws.send(events.map((event) => JSON.stringify(event)).join('\n'));
        ws.data.close = (code) => ws.close(code);
        asked.push(ws.data);
        ws.data.send({ type: 'welcome', you: ME, tab: `tab-${asked.length}` });
        changed();
      },
      message(ws, text) {
        const request = JSON.parse(String(text));
        ws.data.requests.push(request);
        const { ref, channel } = request;
        if (request.type === 'join')
          ws.data.send({ type: 'joined', ref, channel, presence: { people: [ME], count: 1 } });
        changed();
      },
    },
  });
  stops.push(() => server.stop(true));
  let [wakers, protocol] = [0, 0];
  let wake: (cause: 'online' | 'visible') => void = () => undefined;
  const tab = new LiveTab({
    url: `ws://127.0.0.1:${server.port}`,
    protocols: () => [`p${++protocol}`],
    askStatus: async () => status(),
    onWake(callback) {
      wakers++;
      wake = callback;
      return () => wakers--;
    },
  });
  return {
    tab,
    asked,
    isListening: () => wakers > 0,
    wake: (cause: 'online' | 'visible') => wake(cause),
    /** The connection with this number, once it has asked for so much. */
    async connection(index: number, requests = 1): Promise<TabConnection> {
      for (;;) {
        const found = asked[index];
        if (found && found.requests.length >= requests) return found;
        await new Promise<void>((resolve) => listeners.add(resolve));
      }
    },
  };
}

const ME = { id: 'guest-1', username: null };
const OTHER = { id: 2, username: 'ada' };

test('all channels share a connection, and join again with the next one', async () => {
  const { tab, asked, connection } = stage();
  const [room, board] = [tab.join('room'), tab.join('board')];
  expect(tab.join('room')).toBe(room);
  const heard: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  board.on((message, from) => {
    heard.push([message, from]);
    if (heard.length === 2) resolve();
  });
  const first = await connection(0, 2);
  expect(first.requests.map(({ type, channel }) => [type, channel])).toEqual([
    ['join', 'room'],
    ['join', 'board'],
  ]);
  await board.presence();
  first.send({ type: 'message', channel: 'board', from: OTHER, message: 1 });
  first.close(1001);
  const second = await connection(1, 2);
  expect(second.requests.map(({ channel }) => channel)).toEqual(['room', 'board']);
  // What the visitor shows is asked for each time: a login may have ended.
  expect([first.protocols, second.protocols]).toEqual(['p1', 'p2']);
  second.send({ type: 'message', channel: 'board', from: null, message: 2 });
  await promise;
  expect(heard).toEqual([
    [1, OTHER],
    [2, null],
  ]);
  expect(asked).toHaveLength(2);
  room.leave();
  board.leave();
});

test('what was sent and not accepted when the connection ends is rejected; what comes later waits', async () => {
  const { tab, connection } = stage();
  const room = tab.join('room');
  const first = await connection(0);
  await room.presence();
  const lost = room.send('lost').then(
    () => 'sent',
    ({ code }: Quire.Failure) => code,
  );
  await connection(0, 2);
  first.close(1012);
  expect(await lost).toBe('UNREACHABLE');
  const waiting = room.send('waits');
  const second = await connection(1, 2);
  const { ref, message } = second.requests[1] as TabConnection['requests'][0];
  expect(message).toBe('waits');
  // The tab's own message is the answer, and not heard.
  second.send({ type: 'message', channel: 'room', from: ME, tab: 'tab-2', ref, message });
  await waiting;
  room.leave();
});

test('after a logout it connects at once, and a visitor who cannot see the page does not try again', async () => {
  let status = 200;
  const { tab, asked, connection, isListening } = stage(() => status);
  const room = tab.join('room');
  (await connection(0)).close(LIVE_CLOSE.loginEnded);
  const second = await connection(1);
  status = 403;
  await room.presence();
  second.close(LIVE_CLOSE.accessEnded);
  const refused = async () => {
    for (;;) {
      const outcome = await room.presence().catch(({ code }: Quire.Failure) => code);
      if (typeof outcome === 'string') return outcome;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  expect(await refused()).toBe('FORBIDDEN');
  expect(asked).toHaveLength(2);
  expect(isListening()).toBe(false);
});

test('it connects again when the network is back, and not for a tab that becomes visible while connected', async () => {
  const { tab, asked, connection, wake, isListening } = stage();
  const room = tab.join('room');
  await connection(0);
  await room.presence();
  wake('visible');
  await room.presence();
  expect(asked).toHaveLength(1);
  wake('online');
  await connection(1);
  await room.presence();
  expect(asked).toHaveLength(2);
  room.leave();
  expect(isListening()).toBe(false);
});
