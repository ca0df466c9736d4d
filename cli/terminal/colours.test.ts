import { expect, test } from 'bun:test';
import { colours, printableInColours } from './colours.ts';

test('only our own colours reach the terminal, wherever they are in a text', () => {
  const { red, bold } = colours(true);
  const evil = '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u009b2J \u202e';
  const shown = '\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07 \\u009b2J \\u202e';
  expect(printableInColours(`${evil}${red(evil)}${bold('x')}`)).toBe(
    `${shown}\u001b[31m${shown}\u001b[0m\u001b[1mx\u001b[0m`,
  );
  expect(colours(false).red('x')).toBe('x');
});
