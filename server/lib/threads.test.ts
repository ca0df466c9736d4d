import { afterAll, expect, test } from 'bun:test';
import { createThreads } from './threads.ts';

const SOURCE = `
let asked = 0;
self.onmessage = ({ data }) => {
  if (data === 'throw') throw new Error('thrown');
  postMessage(data === 'complain' ? { problem: 'a complaint' } : { asked: ++asked, data });
};
`;
const url = URL.createObjectURL(new Blob([SOURCE], { type: 'application/javascript' }));
const threads = createThreads<string, { asked: number; data: string }>(() => new Worker(url));
const ask = (request: string) => threads.ask(request, { failure: 'It failed' });

afterAll(() => {
  threads.stop();
  URL.revokeObjectURL(url);
});

test('reuses an idle thread, and starts another while it is busy', async () => {
  expect(await ask('one')).toEqual({ asked: 1, data: 'one' });
  expect(await Promise.all([ask('two'), ask('three')])).toEqual([
    { asked: 2, data: 'two' },
    { asked: 1, data: 'three' },
  ]);
});

test.each([
  ['complain', 'It failed: a complaint'],
  ['throw', 'It failed: '],
])('rejects when a thread fails (%s), and starts a new one', async (request, reason) => {
  await ask('one');
  const failed = await ask(request).catch((error: Error) => error.message);
  expect(failed).toStartWith(reason);
  expect(await ask('two')).toMatchObject({ data: 'two' });
});
