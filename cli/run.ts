import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { type Call, COMMON_OPTIONS, type Command, ENV_FILE_OPTION, SERVER_OPTION } from './command.ts';
import type { Environment } from './environment.ts';
import { commandHelp, formatUsage, groupHelp, overview } from './help.ts';
import { nearest } from './nearest.ts';
import { createOutput, type Output } from './terminal/output.ts';
import { CommandError, EXIT, toExitCode, UsageError } from './usage.ts';

/** Loads the function that tells expected errors from bugs. It needs the whole server, so it is loaded only after an error. */
type LoadExpected = () => Promise<(error: unknown) => error is Error>;

/** Runs the command that the words name, and returns the exit code. */
export async function run(
  commands: Command[],
  argv: string[],
  environment: Environment,
  loadExpected: LoadExpected,
): Promise<number> {
  const words = commandFirst(argv);
  const isJson = beforeDashes(words).includes('--json');
  const out = createOutput(
    { isJson, isQuiet: beforeDashes(words).some((word) => /^(-q|--quiet)$/.test(word)) },
    environment,
  );
  try {
    return await choose(commands, words, environment, out);
  } catch (error) {
    const failure = await toFailure(error, loadExpected);
    if (isJson && !out.hasWritten) out.result({ error: failure.message, ...failure.details }, '');
    if (failure.message) out.error(failure.message);
    return failure.exitCode;
  }
}

async function choose(
  commands: Command[],
  words: string[],
  environment: Environment,
  out: Output,
): Promise<number> {
  const [first] = words;
  if (first === '--version') {
    out.result({ version: packageJson.version }, packageJson.version);
    return EXIT.done;
  }
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    showHelp(commands, first === 'help' ? words.slice(1).filter((word) => !word.startsWith('-')) : [], out);
    return EXIT.done;
  }
  const command = find(commands, words);
  if (!command) {
    showGroup(commands, words, out);
    return EXIT.done;
  }
  const call = parse(command, words.slice(command.name.split(' ').length), environment, out);
  if (call === 'help') out.result(describe(command), commandHelp(command));
  else await command.run(call);
  return call === 'help' ? EXIT.done : call.exitCode();
}

/** The longest command name that the words start with. */
function find(commands: Command[], words: string[]): Command | undefined {
  const fits = commands.filter(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  return fits.sort((a, b) => b.name.length - a.name.length)[0];
}

function showHelp(commands: Command[], words: string[], out: Output): void {
  const command = find(commands, words);
  if (words.length === 0) out.result(commands.map(describe), overview(commands));
  else if (command) out.result(describe(command), commandHelp(command));
  else showGroup(commands, words, out);
}

/** Shows the group of commands, or throws with a suggestion. */
function showGroup(commands: Command[], words: string[], out: Output): void {
  const known = words.filter((word) => !word.startsWith('-'));
  const inGroup = (group: string[]) =>
    commands.filter(({ name }) => group.length > 0 && name.startsWith(`${group.join(' ')} `));
  const below = inGroup(known);
  if (below.length > 0) {
    out.result(below.map(describe), groupHelp(known.join(' '), below));
    return;
  }
  // The known words, and the first unknown one.
  let place = known.length - 1;
  while (place > 0 && inGroup(known.slice(0, place)).length === 0) place--;
  const group = known.slice(0, Math.max(0, place));
  const siblings = group.length > 0 ? inGroup(group) : commands;
  const choices = [...new Set(siblings.map(({ name }) => name.split(' ')[group.length] ?? ''))];
  const meant = nearest(known[group.length] ?? '', choices);
  const prefix = group.map((word) => `${word} `).join('');
  const shown = `${prefix}${known[group.length] ?? words[0]}`;
  throw new UsageError(
    `There is no command ${shown}.${meant ? ` Did you mean quire ${prefix}${meant}?` : ''} Run quire help for a list.`,
  );
}

function parse(
  command: Command,
  words: string[],
  environment: Environment,
  out: Output,
): (Call & { exitCode(): number }) | 'help' {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const { values, positionals } = parseWords(command, options, words);
  if (values.help) return 'help';
  const [least, most] = command.args;
  if (positionals.length < least || positionals.length > most) {
    const problem =
      positionals.length < least ? 'An argument is missing' : `Unexpected argument ${positionals[most]}`;
    throw new UsageError(`${problem}: ${formatUsage(command)}`);
  }
  let code: number = EXIT.done;
  return {
    args: positionals,
    flag: (option) => values[option] === true,
    text: (option) => (typeof values[option] === 'string' ? values[option] : undefined),
    texts: (option) => [values[option] ?? []].flat().map(String),
    environment,
    out,
    exitWith: (wanted) => {
      code = wanted;
    },
    exitCode: () => code,
  };
}

function parseWords(command: Command, options: NonNullable<Command['options']>, words: string[]) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, ...rest }]) => [
      name,
      { type, ...(short && { short }), ...('multiple' in rest && { multiple: true }) },
    ]),
  );
  try {
    return parseArgs({ args: words, options: config, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const [, unknown] = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? (/'--?([^']+)'/.exec(message) ?? []) : [];
    if (unknown === undefined) throw new UsageError(`${message}. ${formatUsage(command)}`);
    const meant = nearest(unknown, Object.keys(options));
    const dashes = unknown.length === 1 ? '-' : '--';
    throw new UsageError(
      `${dashes}${unknown} is not an option of quire ${command.name}.${meant ? ` Did you mean --${meant}?` : ''}`,
    );
  }
}

/** Options that many commands accept can also come before the command. */
function commandFirst(argv: string[]): string[] {
  const withValue = Object.keys({ ...SERVER_OPTION, ...ENV_FILE_OPTION }).map((name) => `--${name}`);
  const common = [...Object.keys(COMMON_OPTIONS).map((name) => `--${name}`), ...withValue];
  const before: string[] = [];
  let words = argv;
  while (
    words.length > 1 &&
    words[0] !== '--help' &&
    (common.includes(words[0] ?? '') || words[0] === '-q')
  ) {
    const count = withValue.includes(words[0] ?? '') ? 2 : 1;
    before.push(...words.slice(0, count));
    words = words.slice(count);
  }
  const end = words.indexOf('--');
  return end < 0 ? [...words, ...before] : [...words.slice(0, end), ...before, ...words.slice(end)];
}

function beforeDashes(words: string[]): string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

function describe(command: Command) {
  return { name: command.name, usage: formatUsage(command), summary: command.summary };
}

/** Expected errors are shown as their message; others with their stack trace. */
async function toFailure(error: unknown, loadExpected: LoadExpected): Promise<CommandError> {
  if (error instanceof CommandError) return error;
  const isExpected = await loadExpected();
  if (isExpected(error))
    return new CommandError(error.message, toExitCode('status' in error ? Number(error.status) : 500));
  return new CommandError(Bun.inspect(error));
}
