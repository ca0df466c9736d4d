import { expect, test } from 'bun:test';
import { Sweeper } from './sweeper.ts';

const HOUR_MS = 3600 * 1000;

function recorder() {
  const warnings: string[] = [];
  return { warnings, log: { warn: (_fields: object, message: string) => void warnings.push(message) } };
}

test('sweeps repeatedly until it is stopped', async () => {
  const { log } = recorder();
  let sweeps = 0;
  const { promise: third, resolve } = Promise.withResolvers<void>();
  const purge = async () => {
    if (++sweeps === 3) resolve();
  };
  const sweeper = new Sweeper({ everyMs: 1, log, purges: { rows: purge } });
  await third;
  await sweeper.stop();
  const before = sweeps;
  await sweeper.sweep();
  expect(sweeps).toBe(before);
});

test('logs a purge that fails, and still runs the others and the next sweep', async () => {
  const { log, warnings } = recorder();
  const done: string[] = [];
  const purges = {
    invites: async () => {
      done.push('invites');
      throw new Error('no database');
    },
    sessions: async () => void done.push('sessions'),
  };
  const sweeper = new Sweeper({ everyMs: HOUR_MS, log, purges });
  await sweeper.sweep();
  await sweeper.sweep();
  await sweeper.stop();
  expect(done).toEqual(['invites', 'sessions', 'invites', 'sessions']);
  expect(warnings).toEqual(Array(2).fill('could not purge invites; trying again later'));
});

test('runs one sweep at a time, and interrupts a long one when it is stopped', async () => {
  const { log } = recorder();
  const steps: string[] = [];
  const started = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const sweeper = new Sweeper({
    everyMs: HOUR_MS,
    log,
    purges: {
      rows: async (isStopping) => {
        steps.push('begin');
        started.resolve();
        await goOn.promise;
        steps.push(isStopping() ? 'end early' : 'end');
      },
    },
  });
  void sweeper.sweep();
  void sweeper.sweep();
  await started.promise;
  const stopped = sweeper.stop();
  goOn.resolve();
  await stopped;
  expect(steps).toEqual(['begin', 'end early']);
});
