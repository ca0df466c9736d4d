import { effect } from '@preact/signals';
import { WishBox, wished } from '../../wish/index.ts';
import { BuilderRun } from './run.ts';

export { BUILD_SCREEN } from '../../wish/index.ts';

/** The page that is being built. There is one at a time, and it goes on when the person leaves the screen. */
export const newPage = new BuilderRun();

/** Builds what somebody wished for, here or on another screen. */
effect(() => {
  const prompt = wished.value;
  if (prompt === '') return;
  wished.value = '';
  void newPage.start({ prompt });
});

/** What starts a build. */
export const DescribeBox = WishBox;
