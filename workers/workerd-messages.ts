/**
 * The texts of workerd, V8 and SQLite that our workers must recognize because there is no code for them. They are all
 * here. The test that each one names fails if a new workerd words it differently.
 */

/**
 * workerd's D1 client, when the database host cannot be reached or breaks off. The statement may have run.
 * Test: test/faults/database-host-kill.test.ts.
 */
export function isDatabaseConnectionLost(thrown: unknown): boolean {
  const { message, stack } = readTexts(thrown);
  if (message.startsWith('D1_ERROR: Network connection lost')) return true;
  // Other connections of a function fail with the same words.
  const isFromD1Client = stack.includes('(cloudflare-internal:d1-api:');
  return isFromD1Client && /^(internal error; reference = |Network connection lost)/.test(message);
}

/** V8, when there is no memory for a buffer. Test: test/faults/functions-memory.test.ts. */
export function isBufferTooLarge(thrown: unknown): boolean {
  return thrown instanceof RangeError && /allocation failed|could not allocate memory/.test(thrown.message);
}

/** V8, when a call makes code from text or bytes. Test: test/api/functions/code-generation.test.ts. */
export function isCodeGeneration(thrown: unknown): boolean {
  return /Code generation from strings disallowed|Wasm code generation disallowed/.test(
    readTexts(thrown).message,
  );
}

/**
 * SQLite, when there is no space on the disk or for temporary files. The Durable Object may end with it, and then
 * workerd words it differently. Test: test/faults/sandboxes.test.ts.
 */
export function isStorageFull(thrown: unknown): boolean {
  return /SQLITE_FULL|disk is full/.test(readTexts(thrown).message);
}

/** workerd, about BEGIN, COMMIT and SAVEPOINT. Test: test/api/functions/database.test.ts. */
export function isTransactionStatement(thrown: unknown): boolean {
  return readTexts(thrown).message.includes('state.storage.transaction');
}

/**
 * workerd, when SQLite has undone more than the statement that failed, as INSERT OR ROLLBACK does. Test:
 * test/api/functions/transactions.test.ts.
 */
export function isAllUndone(thrown: unknown): boolean {
  return isStorageFull(thrown) || readTexts(thrown).message.startsWith('internal error; reference = ');
}

/** SQLite, about a text that is not SQL. Test: test/api/functions/database-script.test.ts. */
export function isSyntaxError(thrown: unknown): boolean {
  return isIncomplete(thrown) || /syntax error|unrecognized token/.test(readTexts(thrown).message);
}

/** SQLite, about a text that ends in the middle of a statement. Test: test/api/functions/database-script.test.ts. */
export function isIncomplete(thrown: unknown): boolean {
  return /incomplete input/.test(readTexts(thrown).message);
}

function readTexts(thrown: unknown): { message: string; stack: string } {
  const { message, stack } = (thrown ?? {}) as { message?: unknown; stack?: unknown };
  return { message: String(message ?? ''), stack: String(stack ?? '') };
}
