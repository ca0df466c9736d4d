import { expect, test } from 'bun:test';
import { currentSpan, nameRequest, runRequest, runSpan, startSpan, startStatement } from './current.ts';
import { Span, Trace } from './span.ts';

function begin() {
  const ended: Span[] = [];
  const sink = { add: (span: Span) => void ended.push(span), drop: () => undefined, later: () => undefined };
  const root = new Span(new Trace(sink), undefined, 'GET', 'server', { 'http.request.method': 'GET' });
  return { root, names: () => ended.map(({ name }) => name), ended };
}

test('without a trace, no span begins', () => {
  expect([currentSpan(), startSpan('part'), startStatement('select 1')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a span begins inside of the one that is current, also in parts that run at the same time', async () => {
  const { root, ended } = begin();
  await runRequest(root, async () => {
    nameRequest('/api/things/:id');
    const part = (name: string) => {
      const span = startSpan(name) as Span;
      return runSpan(span, async () => {
        await Promise.resolve();
        startSpan(`inside ${name}`)?.end();
      });
    };
    await Promise.all([part('a'), part('b')]);
    return new Response();
  });
  const parents = ended.map(({ name, parent }) => [name, ended.find(({ id }) => id === parent?.id)?.name]);
  expect(parents.sort()).toEqual([
    ['GET /api/things/:id', undefined],
    ['a', 'GET /api/things/:id'],
    ['b', 'GET /api/things/:id'],
    ['inside a', 'a'],
    ['inside b', 'b'],
  ]);
});

test('what fails is marked, and so is what it is part of', async () => {
  const { root, ended } = begin();
  const failing = runRequest(root, () => {
    const span = startSpan('part') as Span;
    return runSpan(span, () => Promise.reject(new Error('broken')));
  });
  await expect(failing).rejects.toThrow('broken');
  expect(ended.map(({ name, isFailed }) => [name, isFailed])).toEqual([
    ['part', true],
    ['GET', true],
  ]);
});

test('what goes on after the response adds nothing', async () => {
  const { root, names } = begin();
  const { promise: later, resolve } = Promise.withResolvers<void>();
  let lost: unknown = 'not run';
  let goesOn: Promise<void> | undefined;
  await runRequest(root, () => {
    goesOn = later.then(() => {
      lost = startSpan('late') ?? startStatement('select 1');
    });
    return new Response();
  });
  resolve();
  await goesOn;
  expect(lost).toBeUndefined();
  expect(names()).toEqual(['GET']);
});
