import type { Log } from '../platform/http/index.ts';

/**
 * Keeps the process running after an error that nothing caught: a promise that nothing awaited, or a timer that threw.
 * That is always a bug, and the log says where. But one request that hits it must not end all other requests, by
 * accident or on purpose. Stored data is safe either way, because it changes only in transactions. Memory holds only
 * caches and counters.
 *
 * Call it once the server listens: a server that cannot start has to exit.
 */
export function surviveStrayErrors(log: Pick<Log, 'error'>): void {
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'));
  process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'));
}
