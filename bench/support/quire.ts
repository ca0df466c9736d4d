import { type FunctionServer, startFunctionServer } from '../../test/support/function-server.ts';
import type { Bench } from './bench.ts';

/** Starts a server with an owner of functions on it, which is stopped at the end even if it is still starting then. */
export function startQuire(
  bench: Bench,
  options: Parameters<typeof startFunctionServer>[0] = {},
): Promise<FunctionServer> {
  const starting = startFunctionServer(options);
  const started = starting.catch(() => undefined);
  bench.atEnd(async () => (await started)?.stop());
  return starting;
}
