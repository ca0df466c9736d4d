import { expect, test } from 'bun:test';
import type { Command } from './command.ts';
import { commandHelp } from './help.ts';

test('breaks notes between words, at 100 columns', () => {
  const words = [...Array.from({ length: 60 }, (_, index) => `word${index}`), 'x'.repeat(120), 'end'];
  const notes = words.join(' ').replace(' word9 ', '\nword9 ');
  const command: Command = {
    name: 'try',
    usage: '',
    args: [0, 0],
    summary: 'try',
    notes,
    run: async () => {},
  };
  const [, , , ...rows] = commandHelp(command).split('\n\nOptions')[0]?.split('\n') ?? [];
  expect(rows.join(' ')).toBe(words.join(' '));
  expect(rows.map((row) => row.length > 100)).toEqual([false, false, false, false, false, true, false]);
});
