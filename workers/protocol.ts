/**
 * What the server and the workers agree on: header names, paths, error codes and the shape of what they send. It is the
 * only file of `workers/` that the server imports. It uses nothing that only one of the two runtimes has.
 */

export * from './protocol/cells.ts';
export * from './protocol/databases.ts';
export * from './protocol/live.ts';
export * from './protocol/traces.ts';
export * from './protocol/transactions.ts';
