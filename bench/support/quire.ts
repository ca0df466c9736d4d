import { type FunctionServer, startFunctionServer } from '../../test/support/functions/server.ts';
import type { Bench } from './bench.ts';

/** Starts a server with an account that owns functions. It is stopped at the end, even if it is still starting. */
export function startQuire(
  bench: Bench,
  options: Parameters<typeof startFunctionServer>[0] = {},
): Promise<FunctionServer> {
  const starting = startFunctionServer(options);
  const started = starting.catch(() => undefined);
  bench.atEnd(async () => (await started)?.stop());
  return starting;
}
