import { expect, test } from 'bun:test';
import { doStep } from './do-step.ts';

/** A tab that shows a text when it is first asked, and then does not answer in time. */
function slowTab() {
  let asked = 0;
  return {
    send: async () => {
      if (asked++ > 0) throw new Error('no answer');
      return { result: { value: 'Nothing here' } };
    },
    makeWorld: async () => 1,
    assertOnSite: () => undefined,
  };
}

test('a step that fails says what was seen last, also if the last look was cut short', async () => {
  const failed = doStep(slowTab(), { wait: { text: 'Saved' } }, Date.now() + 250);
  await expect(failed).rejects.toThrow('The page does not show "Saved". It shows: Nothing here');
  const silent = slowTab();
  await silent.send();
  await expect(doStep(silent, { wait: { text: 'Saved' } }, Date.now())).rejects.toThrow('no answer');
});
