import type { StartError } from '../workerd/index.ts';

/** Thrown when owner code cannot be run: what is wrong, and where in the code if that is known. */
export class LoadError extends Error {
  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

export function tooSlow(): LoadError {
  return new LoadError('The module did not finish loading within 5 seconds.', 1, 1);
}

export function outOfMemory(): LoadError {
  return new LoadError('The module ran out of memory while it loaded.', 1, 1);
}

/** Reads workerd's complaint about a module. */
export function toLoadError(error: StartError): Error {
  if (error.isTimeout) return tooSlow();
  if (error.isOutOfMemory) return outOfMemory();
  // It stands in JSON, whose end may be missing: code can be a single line of a megabyte.
  const complaint = /service main: (?:Uncaught )?((?:[^"\\]|\\.)*)/s.exec(error.output)?.[1];
  if (complaint === undefined) return error;
  const text = unquoted(complaint).trim();
  const place = /at function\.js:(\d+)(?::(\d+))?/.exec(text);
  const message = text.replace(/\n[^\S\n]*at .*$/s, '').replaceAll('\n', ' ');
  if (!place) return new LoadError(message, 1, 1);
  // V8 counts a syntax error's columns from 0, and those of a running program from 1.
  const column = Number(place[2] ?? 0) + (message.startsWith('SyntaxError') ? 1 : 0);
  return new LoadError(message, Number(place[1]), Math.max(1, column));
}

/** What stands between the quotes of JSON, as it was meant; or as it is, where it was cut. */
function unquoted(json: string): string {
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return json;
  }
}
