import { CHECK_SECONDS } from '../../../../contract/checks/page-check.ts';

/** When each part of a visit must have ended, in milliseconds after the start. */
export const STARTED_BY = 6_000;
export const LOADED_BY = 8_000;
export const SETTLED_BY = 10_000;
export const STEPS_BY = 14_000;
export const DRAWN_BY = 16_000;
/** The rest of the time is for stopping the browser and storing the picture. */
export const DONE_BY = (CHECK_SECONDS - 1) * 1_000;
