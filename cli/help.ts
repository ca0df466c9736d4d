import { COMMON_OPTIONS, type Command, type Option } from './command.ts';

const COLUMNS = 100;
const EXIT_CODES = `Exit codes
  0  success
  1  failure; the reason is on standard error
  2  wrong usage
  3  not logged in, or not allowed
  4  not found
  5  conflict: someone else changed it first, or a name is already used
  6  the server cannot be reached`;

/** All commands, one line each. */
export function overview(commands: Command[]): string {
  return [
    'quire: publish pages with a back end, on your own machine',
    '',
    lines(commands),
    '',
    'Run quire help <command> for details. Every command accepts --json, --quiet and --help.',
    '',
    EXIT_CODES,
  ].join('\n');
}

/** The commands that start with these words. */
export function groupHelp(words: string, commands: Command[]): string {
  const count = commands.length;
  return [
    `quire ${words}: ${count} commands`,
    '',
    lines(commands),
    '',
    `Run quire help ${words} <command> for details.`,
  ].join('\n');
}

/** Everything about one command. */
export function commandHelp(command: Command): string {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const names = Object.entries(options).map(([name, option]) => [optionText(name, option), option.summary]);
  const width = Math.max(...names.map(([text = '']) => text.length));
  return [
    formatUsage(command),
    `  ${command.summary}`,
    ...(command.notes ? ['', wrap(command.notes)] : []),
    '',
    'Options',
    ...names.map(([text = '', summary]) => `  ${text.padEnd(width)}  ${summary}`),
    '',
    EXIT_CODES,
  ].join('\n');
}

/** Breaks a paragraph into lines, so that a terminal does not break its words. */
function wrap(text: string): string {
  const rows: string[] = [];
  for (const word of text.split(/\s+/)) {
    const row = `${rows.at(-1) ?? ''} ${word}`.trimStart();
    if (rows.length > 0 && row.length <= COLUMNS) rows[rows.length - 1] = row;
    else rows.push(word);
  }
  return rows.join('\n');
}

export function formatUsage(command: Command): string {
  return `quire ${[command.name, command.usage].filter(Boolean).join(' ')}`;
}

function lines(commands: Command[]): string {
  const width = Math.max(...commands.map((command) => formatUsage(command).length));
  return commands.map((command) => `  ${formatUsage(command).padEnd(width)}  ${command.summary}`).join('\n');
}

function optionText(name: string, option: Option): string {
  const value = option.type === 'string' ? ` <${option.value}>` : '';
  return `${option.short ? `-${option.short}, ` : ''}--${name}${value}`;
}
