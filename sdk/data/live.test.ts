import { afterEach, expect, test } from 'bun:test';
import { Live } from './live.ts';

/** A service controlled by the test: records requests, and sends events to each stream. */
interface StreamRequest {
  collections: string | null;
  lastEventId: string | null;
  send(text: string): void;
  end(): void;
  closed: Promise<void>;
}

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const OPEN = 'event: open\ndata: {}\n\n';

function stage(answer?: (count: number) => Response | undefined, isOpening = true) {
  const asked: StreamRequest[] = [];
  const waiting: Array<() => void> = [];
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const other = answer?.(++count);
      if (other) return other;
      const closed = Promise.withResolvers<void>();
      request.signal.addEventListener('abort', () => closed.resolve());
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      asked.push({
        collections: new URL(request.url).searchParams.get('collections'),
        lastEventId: request.headers.get('last-event-id'),
        send: (text) => void writer.write(text).catch(() => undefined),
        end: () => void writer.close().catch(() => undefined),
        closed: closed.promise,
      });
      for (const resolve of waiting.splice(0)) resolve();
      if (isOpening) asked.at(-1)?.send(OPEN);
      return new Response(readable.pipeThrough(new TextEncoderStream()), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  stops.push(() => server.stop(true));

  let wakers = 0;
  let askedWhetherHidden: (() => void) | undefined;
  let wake: (cause: 'online' | 'visible') => void = () => undefined;
  const live = new Live({
    async open(collections, lastEventId, signal) {
      const response = await fetch(`${server.url}?collections=${collections}`, {
        signal,
        headers: lastEventId ? { 'last-event-id': lastEventId } : {},
      });
      if (response.ok) return response;
      throw Object.assign(new Error('refused'), { status: response.status });
    },
    onWake(callback) {
      wakers++;
      wake = callback;
      return () => wakers--;
    },
    isHidden() {
      askedWhetherHidden?.();
      return askedWhetherHidden !== undefined;
    },
  });
  return {
    live,
    asked,
    isListening: () => wakers > 0,
    wake: (cause: 'online' | 'visible') => wake(cause),
    /** Hides the tab. Resolves when someone has asked for its visibility. */
    hide: () =>
      new Promise<void>((resolve) => {
        askedWhetherHidden = resolve;
      }),
    async stream(index: number): Promise<StreamRequest> {
      for (;;) {
        const found = asked[index];
        if (found) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

/** Collects changes; `next` resolves with the next one. */
function collector() {
  const { readable, writable } = new TransformStream<Quire.Change, Quire.Change>(undefined, {
    highWaterMark: 100,
  });
  const writer = writable.getWriter();
  const reader = readable.getReader();
  return {
    callback: (change: Quire.Change) => void writer.write(change),
    next: async () => (await reader.read()).value,
  };
}

const deleted = (collection: string, id: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ type: 'deleted', collection, id })}\n\n`;

test('subscriptions made together share one stream, and each gets its own events', async () => {
  const { live, stream, asked } = stage();
  const [notes, tasks] = [collector(), collector()];
  const stopNotes = live.subscribe('notes', notes.callback);
  const stopTasks = live.subscribe('tasks', tasks.callback);
  const first = await stream(0);
  expect(first).toMatchObject({ collections: 'notes,tasks', lastEventId: null });
  first.send(deleted('tasks', '1') + deleted('notes', '2') + deleted('tasks', '3'));
  expect(await tasks.next()).toMatchObject({ id: '1' });
  expect(await tasks.next()).toMatchObject({ id: '3' });
  expect(await notes.next()).toMatchObject({ id: '2' });
  expect(asked).toHaveLength(1);
  stopNotes();
  stopTasks();
  await first.closed;
});

test('another collection reopens the stream where it was', async () => {
  const { live, stream } = stage();
  const notes = collector();
  const stopNotes = live.subscribe('notes', notes.callback);
  const first = await stream(0);
  first.send(deleted('notes', '4'));
  await notes.next();
  const stopTasks = live.subscribe('tasks', () => undefined);
  const second = await stream(1);
  expect(second).toMatchObject({ collections: 'notes,tasks', lastEventId: '4' });
  await first.closed;
  second.send(deleted('notes', '5'));
  expect(await notes.next()).toMatchObject({ id: '5' });
  stopTasks();
  expect(await stream(2)).toMatchObject({ collections: 'notes', lastEventId: '5' });
  stopNotes();
});

test('missed events are delivered, but not to a new subscription', async () => {
  const { live, stream } = stage(undefined, false);
  const [notes, tasks] = [collector(), collector()];
  const stops = [live.subscribe('notes', notes.callback)];
  const first = await stream(0);
  first.send(OPEN + deleted('notes', '1'));
  await notes.next();
  stops.push(live.subscribe('tasks', tasks.callback));
  const second = await stream(1);
  second.send(deleted('tasks', '2') + deleted('notes', '3') + OPEN + deleted('tasks', '4'));
  expect(await notes.next()).toMatchObject({ id: '3' });
  expect(await tasks.next()).toMatchObject({ id: '4' });
  for (const stop of stops) stop();
});

test('a read right after its subscription waits until the stream is open', async () => {
  const { live, stream } = stage(undefined, false);
  await live.opened('notes');
  const stop = live.subscribe('notes', () => undefined);
  let hasBegun = false;
  const opened = live.opened('notes').then(() => {
    hasBegun = true;
  });
  const first = await stream(0);
  expect(hasBegun).toBe(false);
  first.send(OPEN);
  await opened;
  stop();
});

test('a second subscription to the same collection needs no other stream', async () => {
  const { live, stream, asked } = stage();
  const [one, two] = [collector(), collector()];
  const stopOne = live.subscribe('notes', one.callback);
  const first = await stream(0);
  const stopTwo = live.subscribe('notes', two.callback);
  stopOne();
  first.send(deleted('notes', '1'));
  expect(await two.next()).toMatchObject({ id: '1' });
  expect(asked).toHaveLength(1);
  stopTwo();
});

test('when the service ends the stream, the next one continues after the last event', async () => {
  const { live, stream } = stage();
  const notes = collector();
  const stop = live.subscribe('notes', notes.callback);
  const first = await stream(0);
  first.send('id: r-9\n\n');
  first.send(deleted('notes', 'r-10'));
  await notes.next();
  first.end();
  expect(await stream(1)).toMatchObject({ lastEventId: 'r-10' });
  stop();
});

test('a hidden tab reconnects when it is visible again, and misses nothing', async () => {
  const { live, stream, asked, wake, hide } = stage();
  const notes = collector();
  const stop = live.subscribe('notes', notes.callback);
  const first = await stream(0);
  first.send(deleted('notes', '1'));
  await notes.next();
  const noticed = hide();
  first.end();
  await noticed;
  expect(asked).toHaveLength(1);
  wake('visible');
  expect(await stream(1)).toMatchObject({ lastEventId: '1' });
  stop();
});

test('a reset reaches every subscription under its own name', async () => {
  const { live, stream } = stage();
  const [notes, tasks] = [collector(), collector()];
  const stops = [live.subscribe('notes', notes.callback), live.subscribe('tasks', tasks.callback)];
  (await stream(0)).send('event: reset\nid: 5\ndata: {}\n\n');
  expect(await notes.next()).toEqual({ type: 'reset', collection: 'notes' });
  expect(await tasks.next()).toEqual({ type: 'reset', collection: 'tasks' });
  for (const stop of stops) stop();
});

test('a failure of the service is retried, and immediately when the tab wakes up', async () => {
  const { live, stream, wake } = stage((count) =>
    count <= 2 ? new Response('', { status: 503 }) : undefined,
  );
  const stop = live.subscribe('notes', () => undefined);
  wake('visible');
  const first = await stream(0);
  wake('online');
  await stream(1);
  await first.closed;
  stop();
});

test('a refusal ends the stream and is reported once, and a new subscription tries again', async () => {
  const { live, stream, isListening } = stage((count) =>
    count === 1 ? new Response('', { status: 403 }) : undefined,
  );
  const warned = Promise.withResolvers<string>();
  const { warn } = console;
  console.warn = warned.resolve;
  try {
    live.subscribe('notes', () => undefined);
    expect(await warned.promise).toContain('notes');
  } finally {
    console.warn = warn;
  }
  expect(isListening()).toBe(false);
  await live.opened('notes');
  const stop = live.subscribe('tasks', () => undefined);
  expect(await stream(0)).toMatchObject({ collections: 'notes,tasks' });
  stop();
});

test('the stream closes with the last subscription', async () => {
  const { live, stream, isListening } = stage();
  const stop = live.subscribe('notes', () => undefined);
  const first = await stream(0);
  expect(isListening()).toBe(true);
  stop();
  stop();
  await first.closed;
  expect(isListening()).toBe(false);
  const again = live.subscribe('notes', () => undefined);
  // Nobody listened in between, so there is nothing to deliver.
  expect(await stream(1)).toMatchObject({ lastEventId: null });
  again();
});

test('a subscription that is cancelled immediately opens nothing', async () => {
  const { live, asked, isListening } = stage();
  live.subscribe('notes', () => undefined)();
  await Promise.resolve();
  expect(isListening()).toBe(false);
  expect(asked).toHaveLength(0);
});
