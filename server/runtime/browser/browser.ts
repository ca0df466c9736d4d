import { CHECK_SECONDS, type CheckWindow } from '../../../contract/checks/page-check.ts';
import type { TextValues } from '../../../contract/rules/texts/fill.ts';
import { makeCertificate, type OwnCertificate } from '../../lib/certificate.ts';
import { AppError } from '../../lib/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Log, SocketServer, Sockets } from '../../platform/http/index.ts';
import type { Egress } from '../egress/index.ts';
import type { ControlGroups, Runtime } from '../workerd/index.ts';
import { type BrowserProgram, describeProgram, prepareBox } from './box.ts';
import { Driver } from './driver.ts';
import { findChromium, NoBrowserError } from './find-chromium.ts';
import { browserFlags, type OwnHosts } from './flags.ts';
import { openOwnSite, type Site } from './own-site.ts';
import type { VisitOrder, VisitReport } from './visit.ts';

/** Browsers that run at the same time. */
const WIDTH = 2;
/** Visits that can wait. The last one waits for a minute at most, so no connection is closed meanwhile. */
const MAX_WAITING = 6;
/** What all processes of a browser may use together. An empty page needs about 150 MB. */
const MAX_BYTES = 1024 * 1024 * 1024;

interface BrowserOptions {
  config: OwnHosts & { chromium: string | undefined };
  runtime: Runtime;
  egress: Egress;
  /** Undefined if the kernel cannot limit the memory of each box. */
  groups: ControlGroups | undefined;
  log: Pick<Log, 'warn'>;
}

/** A page to open. */
export interface Visit {
  /** Visits of different owners take turns. */
  ownerId: number;
  url: string;
  /** The domain of a page, which counts as one of our own hosts. */
  domain?: string;
  /** The URL that all addresses of the page begin with, if there are steps. */
  site?: string;
  steps?: VisitOrder['steps'];
  /** Finds those who visit the page, once it is their turn; one without a login if there is nobody to find. */
  admit?: () => Promise<VisitOrder['visitors']>;
  window: CheckWindow;
  /** Responds to a request for our own hosts in another way than everyone gets. */
  intercept?: ((request: Request) => Promise<Response> | undefined) | undefined;
  signal: AbortSignal;
}

/** What the browser saw, and how long that took without waiting for a turn. */
type CompleteReport = VisitReport & { durationMs: number };

/** Responds to a request from an address. */
type Respond = (
  request: Request,
  address: () => string,
  server: SocketServer,
) => Response | Promise<Response>;

/** Opens pages in Chromium: each in a new process, in a box, with a new profile. */
export class Browser {
  private readonly inTurn = createFairQueue({ width: WIDTH, maxWaiting: MAX_WAITING, refused: busy });
  private readonly running = new Set<Driver>();
  private program: BrowserProgram | undefined;
  private certificate: OwnCertificate | undefined;
  private count = 0;
  private visits = 0;
  private isStopping = false;
  private respond: Respond = () => new Response('The server is starting.', { status: 503 });
  private webSocket: Sockets['handler'] = {};

  constructor(private readonly options: BrowserOptions) {}

  /** Sets what responds to requests for our own hosts. It exists only after everything that uses the browser. */
  connect(respond: Respond, webSocket: Sockets['handler']): void {
    this.respond = respond;
    this.webSocket = webSocket;
  }

  /** Whether nobody uses a browser or waits for one. */
  get isIdle(): boolean {
    return this.visits === 0;
  }

  /** Whether pages can be opened on this machine. */
  get isAvailable(): boolean {
    try {
      this.prepare();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_INSTALLED') return false;
      throw error;
    }
  }

  /** Opens a page and reports what the browser saw. */
  async visit(visit: Visit): Promise<CompleteReport> {
    this.prepare();
    this.visits++;
    try {
      return await this.inTurn(String(visit.ownerId), () => this.open(visit));
    } finally {
      this.visits--;
    }
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.running].map((driver) => driver.stop()));
  }

  /** Finds the program before anyone waits for it. */
  private prepare(): BrowserProgram {
    const { config, runtime } = this.options;
    if (runtime.sandbox.levels.functions !== 'bwrap') throw notInstalled(NO_SANDBOX);
    try {
      this.program ??= describeProgram(findChromium(config.chromium));
    } catch (error) {
      throw error instanceof NoBrowserError ? notInstalled(error.text.text, error.text.values) : error;
    }
    // TLS for our hosts usually ends at a proxy in front of us, which the box cannot reach.
    if (config.baseUrl.startsWith('https:')) this.certificate ??= makeCertificate();
    return this.program;
  }

  private async open(visit: Visit): Promise<CompleteReport> {
    const { ownerId, intercept, signal, domain, url, window } = visit;
    const { config, runtime, egress, groups } = this.options;
    const program = this.prepare();
    await egress.ready();
    if (this.isStopping || signal.aborted) throw stopped();
    const startedAt = performance.now();
    const name = `browser-${++this.count}`;
    // Not an IP address: the box must not count as this machine, nor as a proxy.
    const address = () => `check of ${ownerId}`;
    const site: Site = (request, server) => intercept?.(request) ?? this.respond(request, address, server);
    const args = browserFlags({ ...config, domain }, this.certificate?.fingerprint);
    const box = prepareBox({ runtime, egress, program, name, owner: ownerId, args });
    let ownSite: ReturnType<typeof openOwnSite> | undefined;
    try {
      ownSite = openOwnSite(box.siteSocket, this.certificate, site, this.webSocket);
      const visitors = (await visit.admit?.()) ?? [{}];
      const { site: within = url, steps = [] } = visit;
      const order = { url, window, site: within, steps, visitors, launch: box.launch, maxBytes: MAX_BYTES };
      const report = await this.drive(order, name, groups, signal);
      return { ...report, durationMs: Math.round(performance.now() - startedAt) };
    } finally {
      await ownSite?.stop();
      box.release();
    }
  }

  private async drive(
    order: VisitOrder,
    name: string,
    groups: ControlGroups | undefined,
    signal: AbortSignal,
  ): Promise<VisitReport> {
    const driver = new Driver(this.options.runtime.folder, order, (pid) => groups?.add(name, pid, MAX_BYTES));
    this.running.add(driver);
    const leave = () => void driver.stop();
    signal.addEventListener('abort', leave);
    try {
      const outcome = await driver.outcome;
      if ('report' in outcome) return outcome.report;
      if (signal.aborted || this.isStopping) throw stopped();
      this.options.log.warn({ failure: outcome.failure }, 'a browser could not check a page');
      throw new AppError('UNAVAILABLE', NO_BROWSER, {}, { headers: { 'retry-after': '5' } });
    } finally {
      signal.removeEventListener('abort', leave);
      this.running.delete(driver);
      await driver.stop();
    }
  }
}

const NO_SANDBOX =
  'Page checks need a sandbox for the browser, and bubblewrap does not work on this server. Install it (apt-get install bubblewrap) and allow user namespaces.';
const NO_BROWSER =
  'The browser did not start, or it did not answer in time. Try again in a moment. If it happens again, make the page lighter, or ask the administrator of this server.';

const notInstalled = (sentence: string, values?: TextValues) =>
  new AppError('NOT_INSTALLED', sentence, values);
const stopped = () => new AppError('UNAVAILABLE', 'The check was stopped. Try again in a moment.');
const busy = () =>
  new AppError(
    'UNAVAILABLE',
    'Too many pages are being checked. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': String(CHECK_SECONDS) },
    },
  );
