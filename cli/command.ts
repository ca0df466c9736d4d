import type { Environment } from './environment.ts';
import type { Output } from './terminal/output.ts';
import { UsageError } from './usage.ts';

/** An option of a command. For type `string`, `value` is the placeholder in the help. */
export type Option = { summary: string; short?: string } & (
  | { type: 'boolean' }
  | { type: 'string'; value: string; multiple?: boolean }
);

/** One line of the command table. */
export interface Command {
  /** Its words: `pages push`. */
  name: string;
  /** The arguments after the words. */
  usage: string;
  /** The minimum and maximum number of arguments. */
  args: [min: number, max: number];
  summary: string;
  options?: Record<string, Option>;
  /** More details for `quire help <command>`. */
  notes?: string;
  run(call: Call): Promise<void>;
}

/** One call of a command. */
export interface Call {
  args: string[];
  /** True if an option without a value was given. */
  flag(option: string): boolean;
  text(option: string): string | undefined;
  /** All values of an option that can be given several times. */
  texts(option: string): string[];
  environment: Environment;
  out: Output;
  /** Sets the exit code for when the command returns. */
  exitWith(code: number): void;
}

/** Options that every command has. */
export const COMMON_OPTIONS: Record<string, Option> = {
  json: { type: 'boolean', summary: 'one JSON document on standard output (NDJSON for streams)' },
  quiet: { type: 'boolean', short: 'q', summary: 'print only the result and errors' },
  help: { type: 'boolean', short: 'h', summary: 'show this help' },
};

/** Options of commands that call a server. */
export const SERVER_OPTION: Record<string, Option> = {
  server: { type: 'string', value: 'url', summary: 'use this server instead of the last login' },
};

/** Options of commands that run on the server's machine. */
export const ENV_FILE_OPTION: Record<string, Option> = {
  'env-file': {
    type: 'string',
    value: 'path',
    summary: 'read settings from this file; variables that are set win (also: QUIRE_ENV_FILE)',
  },
};

/** The value of an option that counts something; undefined if it was not given. */
export function wholeNumber(call: Call, option: string): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--${option} must be a whole number from 1.`);
  return Number(text);
}
