import http from 'node:http';
import { CommandError } from '../../cli/usage.ts';
import { startApp } from '../app.ts';
import { within } from '../lib/within.ts';
import { readConfig } from '../platform/config/index.ts';
import { createLog } from '../platform/http/index.ts';
import { lockDataFolder } from '../platform/storage/index.ts';
import { serveControl } from './archive/control.ts';
import { banner } from './banner.ts';
import { surviveStrayErrors } from './last-resort.ts';
import { unknownSettings } from './unknown-settings.ts';

/** Calls in flight get this long to finish when the server is asked to stop. */
const FINISH_MS = 30_000;
/** Bodies are limited by their routes, whose refusal is better than the server's own. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
/** The first line of a request and its headers, together. A query of 20,000 characters fits with each of them escaped. */
const MAX_HEADER_BYTES = 64 * 1024;
/** How long a connection on which nothing moves is kept. */
const IDLE_SECONDS = 90;
/** Saving what is left must not hold the end up for ever: a database may not answer. */
const SAVE_MS = 5_000;
/** The same in a cluster, where the databases of functions are handed over to other nodes. */
const HAND_OVER_MS = 20_000;

/** `quire serve`: runs until it is told to stop. */
export async function serve(environment: Record<string, string | undefined>): Promise<void> {
  const config = readConfig(environment);
  // What is written here is nobody else's business.
  process.umask(0o077);
  const lock = lockDataFolder(config.dataFolder);
  const log = createLog(config.logLevel);
  for (const sentence of unknownSettings(environment)) log.warn(sentence);
  const app = await startApp({ config, log });
  // Where Bun keeps this limit for all of its servers.
  Object.assign(http, { maxHeaderSize: MAX_HEADER_BYTES });
  const server = listen({
    port: config.port,
    ...(config.hostname && { hostname: config.hostname }),
    // Longer than the slowest provider may take to answer.
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request, self) => app.fetch(request, () => self.requestIP(request)?.address ?? ''),
    error(error) {
      log.error({ err: error }, 'request failed outside the routes');
      return new Response('Something went wrong on our side.', { status: 500 });
    },
  });
  surviveStrayErrors(log);
  const control = serveControl(config.dataFolder, app.backUp);
  console.log(banner({ config, health: await app.health(), setupLink: await app.makeSetupLink() }));

  let isStopping = false;
  /** Ends the time in which a node that will stop still answers. */
  let hurry = () => {};

  async function stop(signal: NodeJS.Signals): Promise<void> {
    hurry();
    if (isStopping) return;
    isStopping = true;
    // 1. The balancer learns that it should send nobody here, and those who come before it has noticed are answered.
    app.drain();
    if (config.drainMs > 0 && signal === 'SIGTERM') {
      log.info(`draining: still answering for ${config.drainMs / 1000} s`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, config.drainMs);
        hurry = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    // 2. Nobody comes any more; what runs is finished, and streams end, for their readers to come back elsewhere.
    log.info('stopping: no new connections, finishing what runs');
    void server.stop();
    control.stop();
    app.endStreams();
    const deadline = Date.now() + FINISH_MS;
    while (server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
    await server.stop(true);
    // 3. Databases are handed over, views and logs are written.
    const savingMs = config.cluster ? HAND_OVER_MS : SAVE_MS;
    const gaveUp = () => new Error(`gave up after ${savingMs} ms`);
    const failure = await within(savingMs, app.stop(), gaveUp).then(
      () => undefined,
      (error: unknown) => error,
    );
    lock.release();
    if (failure) log.error({ err: failure }, 'stopped, but something could not be saved');
    else log.info('stopped');
    process.exit(failure ? 1 : 0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      });
    });
  }
}

function listen(options: Parameters<typeof Bun.serve>[0]): Bun.Server<undefined> {
  try {
    return Bun.serve(options as Bun.Serve.Options<undefined>);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new CommandError(
      `Port ${options.port} is in use by another program. Stop it, or set PORT to another.`,
    );
  }
}
