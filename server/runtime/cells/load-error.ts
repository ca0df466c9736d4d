import { type ModuleError, parseModuleError, type StartError } from '../workerd/index.ts';

/** Thrown when owner code cannot run. Says what is wrong, and where in the code if that is known. */
export class LoadError extends Error {
  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
    private readonly kind: ModuleError['kind'] = 'other',
  ) {
    super(message);
  }

  get isSyntaxError(): boolean {
    return this.kind === 'syntax';
  }

  /** True if a compiler may make something of it that loads: another language, or imports of other modules. */
  get isNotJavaScript(): boolean {
    return this.kind !== 'other';
  }
}

export function tooSlow(): LoadError {
  return new LoadError('The module did not finish loading within 5 seconds.', 1, 1);
}

export function outOfMemory(): LoadError {
  return new LoadError('The module ran out of memory while it loaded.', 1, 1);
}

export function unreadable(): LoadError {
  return new LoadError('The default export cannot be read.', 1, 1);
}

export function noHandler(hasDefault: boolean): LoadError {
  const what = hasDefault ? 'The default export has no fetch function.' : 'The module has no default export.';
  return new LoadError(`${what} Write: export default { fetch(request, env) { … } }`, 1, 1);
}

/** Converts workerd's error about a module. */
export function toLoadError(error: StartError): Error {
  if (error.isTimeout) return tooSlow();
  if (error.isOutOfMemory) return outOfMemory();
  const found = parseModuleError(error.output);
  return found ? new LoadError(found.message, found.line, found.column, found.kind) : error;
}
