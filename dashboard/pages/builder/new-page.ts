import { effect } from '@preact/signals';
import { forgetWish, wished } from '../../wish/index.ts';
import { BuilderRun } from './run.ts';

/** The page that is being built. There is one at a time, and it goes on when the person leaves the screen. */
export const newPage = new BuilderRun();

/** Builds what somebody wished for, here or on another screen. */
effect(() => {
  const prompt = wished.value;
  if (prompt === '') return;
  wished.value = '';
  void newPage.start({ prompt }).then(() => {
    if (newPage.state.value.status === 'open') forgetWish(prompt);
  });
});
