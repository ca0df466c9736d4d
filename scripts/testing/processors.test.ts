import { expect, test } from 'bun:test';
import { watchProcessors } from './processors.ts';

const times = (user: number, nice: number, idle: number) => ({ times: { user, nice, sys: 0, irq: 0, idle } });

test('counts only what passed since the start, of all processors', () => {
  const readings = [
    [times(500, 0, 500), times(0, 0, 1000)],
    [times(590, 0, 510), times(0, 50, 1050)],
  ];
  const busy = watchProcessors(() => readings.shift() ?? []);
  expect(busy()).toBe(70);
});

test('is 0 if no time has passed', () => {
  expect(watchProcessors(() => [times(1, 1, 1)])()).toBe(0);
});
