import { expect, test } from 'bun:test';
import { sayCron } from './words.ts';

test.each([
  ['0 3 * * *', 'At 03:00, every day', 'Um 03:00, jeden Tag'],
  [
    '*/15 9-17 * * 1-5',
    'Every 15 minutes, between 09:00 and 17:59, Monday through Friday',
    'Alle 15 Minuten, zwischen 09:00 und 17:59, Montag bis Freitag',
  ],
  ['0 9 1 * *', 'At 09:00, on day 1 of the month', 'Um 09:00, an Tag 1 des Monats'],
])('%s means: %s', (cron, english, german) => {
  expect([sayCron(cron, 'en'), sayCron(cron, 'de')]).toEqual([english, german]);
});

test.each(['', 'never', '0 3 * *', '0 0 3 * * *', '99 99 * * *'])('%j means nothing', (cron) => {
  expect(sayCron(cron, 'en')).toBeUndefined();
});
