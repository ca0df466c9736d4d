import { expect, test } from 'bun:test';
import { createThreads } from './threads.ts';

test('a thread that does not reply in time is ended, and the caller is asked to try again', async () => {
  const silent = URL.createObjectURL(new Blob(['self.onmessage = () => undefined;']));
  const threads = createThreads<string, object>(() => new Worker(silent), { deadlineMs: 1 });
  await expect(threads.ask('hello', { failure: { text: 'It was not read' } })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'It was not read: it took too long, because this server is very busy. Try again in a moment.',
  });
  threads.stop();
});
