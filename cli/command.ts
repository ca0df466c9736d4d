import type { Environment } from './environment.ts';
import type { Output } from './terminal/output.ts';

/** An option of a command; one of type `string` says in `value` what is to stand there. */
export type Option = { summary: string; short?: string } & (
  | { type: 'boolean' }
  | { type: 'string'; value: string; multiple?: boolean }
);

/** One line of the command table. */
export interface Command {
  /** Its words: `pages push`. */
  name: string;
  /** What is to stand after the words. */
  usage: string;
  /** How many of those there are, at least and at most. */
  args: [min: number, max: number];
  summary: string;
  options?: Record<string, Option>;
  /** More than the summary, for `quire help <command>`. */
  notes?: string;
  run(call: Call): Promise<void>;
}

/** One call of a command. */
export interface Call {
  args: string[];
  /** Whether an option without a value was given. */
  flag(option: string): boolean;
  text(option: string): string | undefined;
  /** All values of an option that may be given several times. */
  texts(option: string): string[];
  environment: Environment;
  out: Output;
  /** Ends the command with this exit code once it has returned. */
  exitWith(code: number): void;
}

/** Options that every command has. */
export const COMMON_OPTIONS: Record<string, Option> = {
  json: { type: 'boolean', summary: 'one JSON document on standard output (NDJSON for streams)' },
  quiet: { type: 'boolean', short: 'q', summary: 'say nothing but what was asked for, and errors' },
  help: { type: 'boolean', short: 'h', summary: 'show this' },
};

/** Options of commands that call a server. */
export const SERVER_OPTION: Record<string, Option> = {
  server: { type: 'string', value: 'url', summary: 'another server than that of the last login' },
};
