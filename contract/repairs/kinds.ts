/** Repairs that can be started for one page in a day. */
export const REPAIRS_PER_DAY = 5;
/** How long one repair takes at most. */
export const REPAIR_MINUTES = 15;
/** How often an error is tried to happen on a copy before it counts as not reproduced. */
export const MAX_TRIES = 3;
/** Repairs that a list shows. */
export const MAX_REPAIRS_LISTED = 20;
/** Characters of the difference of one file, and files in a report. */
export const MAX_DIFF = 20_000;
export const MAX_DIFFS = 20;

export const REPAIR_STEPS = ['branch', 'before', 'build', 'after', 'check', 'attack'] as const;
export type RepairStep = (typeof REPAIR_STEPS)[number];

export const REPAIR_OUTCOMES = [
  'repaired',
  'not_reproduced',
  'not_repaired',
  'unchanged',
  'failed',
  'cancelled',
  'lost',
] as const;
export type RepairOutcome = (typeof REPAIR_OUTCOMES)[number];

/** Why a changed copy is not a proven repair. */
export const DOUBTS = ['still', 'steps', 'errors', 'attack', 'unattacked', 'builder'] as const;
export type Doubt = (typeof DOUBTS)[number];
