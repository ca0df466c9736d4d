import { traceMark } from './protocol.ts';

/** The part of Node's module that is used here. */
interface Storage {
  run<Result>(id: string, run: () => Result): Result;
  getStore(): string | undefined;
}

/** The bundler would replace a name that it can read by an empty module for browsers. */
const ASYNC_HOOKS = ['node', 'async_hooks'].join(':');
const METHODS = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
let current: Promise<Storage> | undefined;

/** Runs code and marks the lines that it prints, also those that it prints later in callbacks and promises. */
export async function traced<Result>(id: string, run: () => Promise<Result>): Promise<Result> {
  current ??= markLines();
  return (await current).run(id, run);
}

/** Marks lines only from the first trace on: functions that are never traced print as fast as before. */
async function markLines(): Promise<Storage> {
  const { AsyncLocalStorage } = (await import(ASYNC_HOOKS)) as { AsyncLocalStorage: new () => Storage };
  const storage = new AsyncLocalStorage();
  for (const method of METHODS) {
    const print = console[method];
    console[method] = (...values: unknown[]) => {
      const id = storage.getStore();
      if (id === undefined) return print.apply(console, values);
      const [first, ...rest] = values;
      // The first text can be a format for the values after it.
      if (typeof first === 'string') print.call(console, traceMark(id) + first, ...rest);
      else print.call(console, traceMark(id).trimEnd(), ...values);
    };
  }
  return storage;
}
