import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { closeTabs, newContext } from '../support/browser/stage.ts';

/** Parts of the dashboard that load when somebody opens or approaches them, and values that are loaded again. */

afterEach(closeTabs);

const ENTRY = join(import.meta.dir, '../../dashboard/ui/loading/test-entry.ts');
/** Draws a part whose file arrives, and whose effect runs, when the test says so. */
const CODE = `
import { h, options, render } from 'preact';
import { lazy } from './chunk.tsx';

let arrive;
const effects = [];
options.requestAnimationFrame = (effect) => effects.push(effect);
const Part = lazy(
  () => new Promise((resolve) => { arrive = () => resolve(() => h('p', null, 'Here')); }),
  () => h('p', null, 'Waiting'),
);
const text = () => document.body.textContent;
globalThis.steps = {
  prefetch: () => Part.prefetch(),
  draw: () => (render(h(Part, {}), document.body), text()),
  arrive: () => arrive(),
  runEffects: () => effects.splice(0).forEach((effect) => effect()),
};
`;

type Step = 'prefetch' | 'draw' | 'arrive' | 'runEffects' | 'count' | 'answer' | 'isAborted';

/** Shows a value that is read again every second. Each answer arrives when the test says so. */
const VALUE_CODE = `
import { h, options, render } from 'preact';
import { useLoad } from './load.tsx';
import { useRefresh } from './refresh.ts';

options.requestAnimationFrame = (effect) => queueMicrotask(effect);
const asked = [];
function Value() {
  const loaded = useLoad((signal) => new Promise((answer) => asked.push({ answer, signal })), []);
  useRefresh(loaded.refresh, 1_000);
  return h('p', null, loaded.value ?? 'Waiting');
}
render(h(Value, {}), document.body);
globalThis.steps = {
  count: () => asked.length,
  answer: () => asked.at(-1).answer('Answer ' + asked.length),
  isAborted: () => asked.some(({ signal }) => signal.aborted),
};
`;

async function open(code: string) {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    files: { [ENTRY]: code },
    target: 'browser',
  });
  const tab = await (await newContext()).newPage();
  await tab.clock.install();
  await tab.setContent('<!doctype html><title>Part</title>');
  await tab.addScriptTag({ type: 'module', content: (await outputs[0]?.text()) ?? '' });
  const take = (step: Step) =>
    tab.evaluate(
      (name) => (globalThis as never as { steps: Record<Step, () => unknown> }).steps[name](),
      step,
    );
  return {
    take,
    pass: (ms: number) => tab.clock.runFor(ms),
    shown: (text: string) => tab.getByText(text, { exact: true }).waitFor(),
  };
}

test('a part is shown whose prefetch ends after it was drawn and before its effect runs', async () => {
  const { take, shown } = await open(CODE);
  await take('prefetch');
  expect(await take('draw')).toBe('Waiting');
  await take('arrive');
  await take('runEffects');
  await shown('Here');
});

test('a part that is loaded is drawn at once, and one that nobody prefetched loads itself', async () => {
  const prefetched = await open(CODE);
  await prefetched.take('prefetch');
  await prefetched.take('arrive');
  expect(await prefetched.take('draw')).toBe('Here');
  const opened = await open(CODE);
  expect(await opened.take('draw')).toBe('Waiting');
  await opened.take('runEffects');
  await opened.take('arrive');
  await opened.shown('Here');
});

test('a value that is read again and again arrives when answers take longer than the time between', async () => {
  const { take, pass, shown } = await open(VALUE_CODE);
  await pass(5_000);
  expect(await take('count')).toBe(1);
  await take('answer');
  await shown('Answer 1');
  await pass(5_000);
  expect(await take('count')).toBe(2);
  await take('answer');
  await shown('Answer 2');
  expect(await take('isAborted')).toBe(false);
});

test('an answer that never comes is asked for again after a minute', async () => {
  const { take, pass, shown } = await open(VALUE_CODE);
  await pass(62_000);
  expect(await take('count')).toBe(2);
  await take('answer');
  await shown('Answer 2');
});
