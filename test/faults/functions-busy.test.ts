import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type FunctionServer, handler, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

let quire: FunctionServer;
beforeAll(async () => {
  // As on a machine that is too busy to give a function its processor time before its 30 seconds are over.
  quire = await startFunctionServer({ settings: { QUIRE_CELL_CPU_SECONDS: '300' } });
});
afterAll(() => quire.stop());

test('the log says that a function was busy all the time if it did not answer in time for that reason', async () => {
  const [spins, waits] = await Promise.all([
    quire.deploy(handler('for (;;);')),
    quire.deploy(handler('await scheduler.wait(1e9);')),
  ]);
  const answers = await Promise.all([spins, waits].map((slug) => quire.call(slug, { timeoutMs: 90_000 })));
  const late = 'The function did not answer within 30 seconds.';
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [504, late],
    [504, late],
  ]);
  const fetchMessages = async (slug: string) => (await quire.logs(slug)).map(({ message }) => message);
  await waitUntil(
    async () => (await fetchMessages(spins)).length > 0 && (await fetchMessages(waits)).length > 0,
  );
  expect((await fetchMessages(spins)).join('\n')).toMatch(
    /within 30 seconds\. It was busy all the time: its code ran for \d+ seconds without a pause, and used the processor for \d+ of them\. Look for a loop that does not end\./,
  );
  expect((await fetchMessages(waits)).join('\n')).not.toContain('busy');
}, 120_000);
