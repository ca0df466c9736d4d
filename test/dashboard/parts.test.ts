import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { closeTabs, newContext } from '../support/browser/stage.ts';

/** Parts of the dashboard that load when somebody opens or approaches them. */

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

type Step = 'prefetch' | 'draw' | 'arrive' | 'runEffects';

async function open() {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    files: { [ENTRY]: CODE },
    target: 'browser',
  });
  const tab = await (await newContext()).newPage();
  await tab.setContent('<!doctype html><title>Part</title>');
  await tab.addScriptTag({ type: 'module', content: (await outputs[0]?.text()) ?? '' });
  const take = (step: Step) =>
    tab.evaluate(
      (name) => (globalThis as never as { steps: Record<Step, () => unknown> }).steps[name](),
      step,
    );
  return { take, shown: (text: string) => tab.getByText(text, { exact: true }).waitFor() };
}

test('a part is shown whose prefetch ends after it was drawn and before its effect runs', async () => {
  const { take, shown } = await open();
  await take('prefetch');
  expect(await take('draw')).toBe('Waiting');
  await take('arrive');
  await take('runEffects');
  await shown('Here');
});

test('a part that is loaded is drawn at once, and one that nobody prefetched loads itself', async () => {
  const prefetched = await open();
  await prefetched.take('prefetch');
  await prefetched.take('arrive');
  expect(await prefetched.take('draw')).toBe('Here');
  const opened = await open();
  expect(await opened.take('draw')).toBe('Waiting');
  await opened.take('runEffects');
  await opened.take('arrive');
  await opened.shown('Here');
});
