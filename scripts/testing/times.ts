import type { Outcome } from './outcome.ts';

/** Milliseconds by file, the longest first. */
export type Times = Record<string, number>;

/** Shorter files do not matter for the order. */
const WORTH_RECORDING_MS = 1_000;

/** The times of the files that ran, and those of the others as they were. */
export function updateTimes(known: Times, outcomes: Map<string, Pick<Outcome, 'milliseconds'>>): Times {
  const times = new Map(Object.entries(known));
  for (const [file, { milliseconds }] of outcomes) times.set(file, Math.round(milliseconds / 100) * 100);
  return Object.fromEntries(
    [...times].filter(([, milliseconds]) => milliseconds >= WORTH_RECORDING_MS).sort(([, a], [, b]) => b - a),
  );
}
