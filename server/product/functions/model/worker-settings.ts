import type { FunctionFiles } from '../../../../contract/functions/files.ts';
import {
  isBindingName,
  isShortEnough,
  WORKER_SETTINGS,
} from '../../../../contract/rules/projects/worker-settings.ts';

/** A mistake in the settings of a Worker among the files of a function. */
export class WorkerSettingsError extends Error {
  constructor(
    readonly file: string,
    message: string,
  ) {
    super(message);
  }
}

/** Under which names besides `DB` a function gets its database: those of D1 in the settings of a Worker. */
export function readDatabaseNames(files: FunctionFiles): string[] {
  const file = WORKER_SETTINGS.find((name) => Object.hasOwn(files, name));
  if (file === undefined) return [];
  const { d1_databases: bindings = [] } = parse(file, files[file] ?? '');
  if (!Array.isArray(bindings)) throw new WorkerSettingsError(file, 'd1_databases must be a list');
  if (bindings.length > 1)
    throw new WorkerSettingsError(file, `A function has one database, and ${file} binds ${bindings.length}`);
  return bindings.map((each: { binding?: unknown } | null) => {
    const name = each?.binding;
    if (!isBindingName(name))
      throw new WorkerSettingsError(file, 'The binding of a database must be a name such as DB');
    return name;
  });
}

function parse(file: string, text: string): Record<string, unknown> {
  if (!isShortEnough(text))
    throw new WorkerSettingsError(file, `${file} has more than 64 KB or 2,000 settings`);
  try {
    const parsed: unknown = file.endsWith('.toml') ? Bun.TOML.parse(text) : Bun.JSONC.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // The message of the parser names no line.
  }
  throw new WorkerSettingsError(file, `${file} cannot be read`);
}
