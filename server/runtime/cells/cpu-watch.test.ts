import { describe, expect, test } from 'bun:test';
import { CpuWatch } from './cpu-watch.ts';

const LIMIT_MS = 1_000;

/** A process whose event loop responds only when the test says so. */
function watchProcess() {
  const process = { cpuMs: 0, probes: 0, respond(): void {} };
  const watch = new CpuWatch({
    limitMs: LIMIT_MS,
    cpuMs: () => process.cpuMs,
    probe() {
      process.probes++;
      const { promise, resolve } = Promise.withResolvers<void>();
      process.respond = resolve;
      return promise;
    },
  });
  const look = (now: number, cpuMs: number) => {
    process.cpuMs = cpuMs;
    return watch.isBlocked(now);
  };
  return { process, watch, look };
}

describe('a process that does not respond', () => {
  test.each([
    ['that used the CPU for longer than the limit is blocked', LIMIT_MS + 1, 701, true],
    ['that has waited exactly for the limit is not yet blocked', LIMIT_MS, 1_000, false],
    ['that got too little of the CPU is only waiting for it', LIMIT_MS + 1, 700, false],
  ])('and %s', (_, waitedMs, usedMs, expected) => {
    const { look } = watchProcess();
    expect(look(0, 10)).toBe(false);
    expect(look(waitedMs, 10 + usedMs)).toBe(expected);
  });
});

test('a process that responds is not blocked, however much it works', async () => {
  const { process, watch, look } = watchProcess();
  for (let now = 0; now < 10 * LIMIT_MS; now += 2 * LIMIT_MS) {
    expect(look(now, now + 10)).toBe(false);
    process.respond();
    await Promise.resolve();
  }
  expect(process.probes).toBe(5);
  expect(watch.recentMs).toBe(2 * LIMIT_MS);
});

test('a process that used no CPU is not probed', () => {
  const { process, look } = watchProcess();
  expect(look(0, 0)).toBe(false);
  expect(process.probes).toBe(0);
});

test('it says for how long a process has not responded, and what it used meanwhile', async () => {
  const { process, watch, look } = watchProcess();
  expect(watch.blocked).toEqual({ forMs: 0, cpuMs: 0 });
  look(0, 10);
  look(25 * LIMIT_MS, 610);
  expect(watch.blocked).toEqual({ forMs: 25 * LIMIT_MS, cpuMs: 600 });
  process.respond();
  await Promise.resolve();
  expect(watch.blocked).toEqual({ forMs: 0, cpuMs: 0 });
});
