import http from 'node:http';
import { CommandError } from '../../cli/usage.ts';
import { type App, startApp } from '../app.ts';
import { within } from '../lib/time-limits/within.ts';
import { type Config, readConfig } from '../platform/config/index.ts';
import { createLog, type Log, limitReceiveBuffers, type OpenSocket } from '../platform/http/index.ts';
import { lockDataFolder } from '../platform/storage/index.ts';
import { serveControl } from './archive/control.ts';
import { locateData } from './archive/data-locations.ts';
import { banner } from './banner.ts';
import { surviveStrayErrors } from './last-resort.ts';
import { SetupReminder } from './setup-reminder.ts';
import { unknownSettings } from './unknown-settings.ts';

/** How long requests in progress can take to finish when the server stops. */
const FINISH_MS = 30_000;
/** Routes limit their bodies, and their errors are better than Bun's own. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
/** Request line and headers together. Enough for a query of 20,000 characters that are all escaped. */
const MAX_HEADER_BYTES = 64 * 1024;
/** How long an idle connection stays open. */
const IDLE_SECONDS = 90;
/** Limits the final save, because a database may not respond. */
const SAVE_MS = 5_000;
/** Limits the final save in a cluster, where function databases are handed over to other nodes. */
const HAND_OVER_MS = 35_000;

type HttpServer = Bun.Server<OpenSocket>;

/** `quire serve`: runs until it gets a signal to stop. Only tests set `finishMs`. */
export async function serve(
  environment: Record<string, string | undefined>,
  finishMs = FINISH_MS,
): Promise<void> {
  const config = readConfig(environment);
  // Other users of the machine must not read our files.
  process.umask(0o077);
  const lock = lockDataFolder(config.dataFolder);
  const log = createLog(config.logLevel);
  for (const sentence of unknownSettings(environment)) log.warn(sentence);
  let reminder: SetupReminder | undefined;
  const app = await startApp({ config, log, onScreen: (path) => reminder?.remind(path) });
  // Bun reads this limit for all its servers.
  Object.assign(http, { maxHeaderSize: MAX_HEADER_BYTES });
  const server = listen({
    port: config.port,
    ...(config.hostname && { hostname: config.hostname }),
    // Longer than a provider can take to respond.
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request, self) => app.fetch(request, () => self.requestIP(request)?.address ?? '', self),
    websocket: app.webSocket,
    error(error) {
      log.error({ err: error }, 'request failed outside the routes');
      return new Response('Something went wrong on our side.', { status: 500 });
    },
  });
  try {
    limitReceiveBuffers();
  } catch (error) {
    log.warn(`A connection that sends much can delay others: ${(error as Error).message}`);
  }
  surviveStrayErrors(log);
  const control = serveControl(locateData(config), app);
  const setupLink = await app.makeSetupLink();
  console.log(banner({ config, health: await app.health(), setupLink }));
  if (setupLink) reminder = new SetupReminder(setupLink, app.isSetupLinkOpen);
  const shutdown = new Shutdown({ config, log, app, server, control, lock, finishMs });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => shutdown.begin(signal));
}

/** Stops the server in order. A second signal ends draining early. */
class Shutdown {
  private hasBegun = false;
  private endDraining = () => {};

  constructor(
    private readonly parts: {
      config: Pick<Config, 'drainMs' | 'cluster'>;
      log: Log;
      app: App;
      server: HttpServer;
      control: { stop(): void };
      lock: { release(): void };
      finishMs: number;
    },
  ) {}

  begin(signal: NodeJS.Signals): void {
    this.endDraining();
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.run(signal).catch((error: unknown) => {
      this.parts.log.error({ err: error }, 'shutdown failed');
      process.exit(1);
    });
  }

  private async run(signal: NodeJS.Signals): Promise<void> {
    const { app, config, lock, log } = this.parts;
    // 1. Report at /readyz that the node is stopping, and keep responding until the load balancer has noticed.
    app.drain();
    if (config.drainMs > 0 && signal === 'SIGTERM') await this.drain(config.drainMs);
    // 2. Stop listening, end streams and WebSockets (their clients reconnect to another node), and finish requests.
    log.info('stopping: no new connections, finishing requests in progress');
    await this.finishRequests();
    // 3. Hand databases over, and write page views and logs.
    const failure = await this.save();
    lock.release();
    if (failure) log.error({ err: failure }, 'stopped, but something could not be saved');
    else log.info('stopped');
    process.exit(failure ? 1 : 0);
  }

  private async drain(drainMs: number): Promise<void> {
    this.parts.log.info(`draining: still responding for ${drainMs / 1000} s`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, drainMs);
      this.endDraining = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async finishRequests(): Promise<void> {
    const { app, control, finishMs, server } = this.parts;
    void server.stop();
    control.stop();
    app.endStreams();
    const deadline = Date.now() + finishMs;
    const isBusy = () => server.pendingRequests > 0 || app.ownRuns() > 0;
    while (isBusy() && Date.now() < deadline) await Bun.sleep(20);
    await server.stop(true);
  }

  private async save(): Promise<unknown> {
    const savingMs = this.parts.config.cluster ? HAND_OVER_MS : SAVE_MS;
    const gaveUp = () => new Error(`gave up after ${savingMs} ms`);
    return within(savingMs, this.parts.app.stop(), gaveUp).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
}

function listen(options: Bun.Serve.Options<OpenSocket> & { port: number }): HttpServer {
  try {
    return Bun.serve(options);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new CommandError(
      `Port ${options.port} is in use by another program. Stop that program, or set PORT to another port.`,
    );
  }
}
