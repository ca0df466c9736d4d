import { startApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../http/index.ts';
import { lockDataFolder } from '../storage/index.ts';
import { banner } from './banner.ts';

/** Calls in flight get this long to finish when the server is asked to stop. */
const DRAIN_MS = 30_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** `quire serve`: runs until it is told to stop. */
export async function serve(environment: Record<string, string | undefined>): Promise<void> {
  const config = readConfig(environment);
  // What is written here is nobody else's business.
  process.umask(0o077);
  const lock = lockDataFolder(config.dataFolder);
  const log = createLog(config.logLevel);
  const app = await startApp({ config, log });
  const server = Bun.serve({
    port: config.port,
    ...(config.hostname && { hostname: config.hostname }),
    idleTimeout: 60,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request, self) => app.fetch(request, () => self.requestIP(request)?.address ?? ''),
    error(error) {
      log.error({ err: error }, 'request failed outside the routes');
      return new Response('Something went wrong on our side.', { status: 500 });
    },
  });
  console.log(banner({ config, health: await app.health(), setupLink: await app.makeSetupLink() }));

  let isStopping = false;
  async function stop(): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info('stopping: no new connections, finishing what runs');
    void server.stop();
    const deadline = Date.now() + DRAIN_MS;
    while (server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
    await server.stop(true);
    const failure = await app.stop().then(
      () => undefined,
      (error: unknown) => error,
    );
    lock.release();
    if (failure) log.error({ err: failure }, 'stopped, but something could not be saved');
    else log.info('stopped');
    process.exit(failure ? 1 : 0);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
