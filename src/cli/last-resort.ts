import type { Log } from '../http/index.ts';

/**
 * Goes on after an error that nobody caught: a promise that nobody waited for, or a timer that threw. Every promise is
 * meant to be waited for, so this is a defect, and the log says where. But the process serves everybody, and one
 * request that meets such a defect must not end the requests of all others, nor be a way to do so on purpose. What is
 * stored is safe either way: it changes in transactions only, and a process may end at any moment. What is in memory
 * is caches and counts, and is left as it is by the one piece of work that broke off.
 *
 * Not before the server listens: a server that cannot start has to end.
 */
export function surviveStrayErrors(log: Pick<Log, 'error'>): void {
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'a failure was left unhandled'));
  process.on('uncaughtException', (error) => log.error({ err: error }, 'an error was left uncaught'));
}
