import { readFileSync } from 'node:fs';
import { type Call, type Command, ENV_FILE_OPTION } from '../../cli/command.ts';
import type { Environment } from '../../cli/environment.ts';
import { CommandError } from '../../cli/usage.ts';

/** The variable that names the file where no option does. */
const VARIABLE = 'QUIRE_ENV_FILE';

/** Lets a command read its settings from a file, with `--env-file` or `QUIRE_ENV_FILE`. */
export function withEnvFile(command: Command): Command {
  return {
    ...command,
    options: { ...command.options, ...ENV_FILE_OPTION },
    run: async (call) => command.run({ ...call, environment: readEnvironment(call) }),
  };
}

/** Variables that are set win over the file, so that a single command can change one of them. */
function readEnvironment(call: Call): Environment {
  const { [VARIABLE]: named, ...environment } = call.environment;
  const path = call.text('env-file') ?? named;
  if (!path) return environment;
  return { ...parseEnvFile(readText(path), path), ...environment };
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof TypeError) throw new CommandError(`${path} is not a text file in UTF-8.`);
    if (code === 'ENOENT')
      throw new CommandError(`${path} does not exist. Name the file with the settings of the server.`);
    if (code === 'EACCES')
      throw new CommandError(
        `You cannot read ${path}. Let the group of the server read it (for example: chgrp quire ${path} && chmod 0640 ${path}).`,
      );
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

const NAME = /([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/y;
const COMMENTS = /(?:[ \t\r\n]+|[#;][^\r\n]*)*/y;
const SINGLE_QUOTED = /'([^']*)'/y;
const DOUBLE_QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
const UNQUOTED = /(?:[^\\\r\n]|\\.)*\\?/sy;
const END_OF_LINE = /[ \t]*(?=[\r\n]|$)/y;

/**
 * Reads the syntax of systemd's EnvironmentFile. Every file that is accepted here gives the same values there. What
 * systemd ignores or guesses is refused, because a setting would be lost. Messages have no text of the file, which can
 * contain passwords.
 */
export function parseEnvFile(text: string, path: string): Record<string, string> {
  const values: Record<string, string> = {};
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) return undefined;
    at += found[0].length;
    return found;
  };
  const refuse = (why: string) => {
    const line = text.slice(0, at).split(/\r\n|\r|\n/).length;
    return new CommandError(`Line ${line} of ${path} ${why}`);
  };
  if (text.includes('\0')) throw new CommandError(`${path} contains a zero byte, so it is not a text file.`);
  for (take(COMMENTS); at < text.length; take(COMMENTS)) {
    const [, name] = take(NAME) ?? [];
    if (name === undefined) throw refuse('is not an assignment such as NAME=value, or a comment with #.');
    values[name] = readValue();
    if (!take(END_OF_LINE)) throw refuse('has text after the closing quote. Put the whole value in quotes.');
  }
  return values;

  function readValue(): string {
    if (text[at] === "'") return (take(SINGLE_QUOTED) ?? fail())[1] ?? '';
    if (text[at] === '"') return unescapeQuoted((take(DOUBLE_QUOTED) ?? fail())[1] ?? '');
    return unescapeUnquoted(take(UNQUOTED)?.[0] ?? '');
  }
  function fail(): never {
    throw refuse('has a quote that is not closed.');
  }
}

/** Between double quotes, a backslash is kept unless it is before one of these characters or continues a line. */
function unescapeQuoted(value: string): string {
  return value.replace(/\\(?:(["\\`$])|.)/gs, (all, escaped: string | undefined) =>
    all === '\\\n' ? '' : (escaped ?? all),
  );
}

/** Without quotes, a backslash keeps any character as it is, also a space at the end, or continues a line. */
function unescapeUnquoted(value: string): string {
  const trimmed = value.replace(/\\.|[ \t]+$/gs, (all) => (all.startsWith('\\') ? all : ''));
  return trimmed.replace(/\\(.?)/gs, (_, character: string) => (/[\r\n]/.test(character) ? '' : character));
}
