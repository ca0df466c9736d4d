import { startLyingProvider } from '../../support/accounts/lying-provider.ts';
import { startToolVendor } from '../../support/agents/tool-vendor.ts';
import { startSmtp } from '../../support/mail/smtp.ts';
import { startDns } from '../../support/pages/dns.ts';
import { type ServerOptions, startServer } from '../../support/server.ts';
import { type Check, createCheck, type Got } from './check.ts';
import { type Document, listOperations, type Operation } from './document.ts';
import { generate, type Intent } from './generate.ts';
import { ALONE, COSTLY } from './hints.ts';
import { Random } from './random.ts';
import { type Sent, toCurl, toRequest } from './request.ts';
import { ENDLESS } from './service-hints.ts';
import { World } from './world.ts';

/**
 * Sends a real server everything its description allows, and much that it does not, and checks every
 * response.
 */

interface Options {
  seed: number;
  requests: number;
  workers?: number;
  /** Called now and then with the progress. */
  onProgress?(done: number): void;
}

export interface Fault {
  operationId: string;
  message: string;
  curl: string;
  answer: string;
  times: number;
}

export interface Report {
  requests: number;
  operations: number;
  /** One for each operation and kind of fault. */
  faults: Fault[];
  /** How often each operation returned each status. */
  statuses: Map<string, Map<number, number>>;
  /** Operations that never succeeded. */
  neverWorked: string[];
}

/** Turns off limits that would end the run too early. */
const SETTINGS: ServerOptions['settings'] = {
  QUIRE_ISOLATION: 'sandbox',
  QUIRE_LOG_LEVEL: 'error',
  QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
  QUIRE_FORMS_PER_MINUTE: '0',
  QUIRE_DEPLOYS_PER_HOUR: '0',
  QUIRE_REGISTRATIONS_PER_HOUR: '0',
  QUIRE_LOGIN_FAILURES_PER_USERNAME: '0',
  QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0',
  QUIRE_QUOTA_PAGES: '1000000',
  QUIRE_QUOTA_FUNCTIONS: '100000',
  QUIRE_QUOTA_BYTES: String(100 * 1024 ** 3),
  // For the page to import.
  QUIRE_EGRESS_ALLOW: '127.0.0.1/32',
  QUIRE_AI_PROVIDER: 'openai-compatible',
  QUIRE_AI_MODEL: 'model',
  // Each page would be opened in a browser for its picture.
  QUIRE_CHROMIUM: 'off',
};

/**
 * 416: a range that the file does not have. 426: a route that opens WebSockets, which these requests do not ask for.
 * 501: a check, which needs a browser.
 */
const DECLINED = new Set([416, 426, 501]);
/** Without a browser, a repair has ended before it can be stopped. An address can send few reports of pages in an hour. */
const mayDecline = (id: string, status: number) =>
  (id === 'cancelRepair' && status === 409) || (id === 'reportPage' && status === 429);
const PAGES_LAST = 600;
const FUNCTIONS_LAST = 4_000;
/** After its first calls, a slow operation is called only once in this many turns. */
const COSTLY_ROUNDS = 6;
const COSTLY_CHANCE = 0.05;
const ANSWER_MS = 60_000;

export function fuzz(options: Options): Promise<Report> {
  return withWorld((baseUrl, document, world) => new Run(options, baseUrl, document, world).finish());
}

/** Sends each operation one request that should work, with each of these seeds. Returns those that did not work. */
export function tryEach(seeds: number[]): Promise<string[]> {
  return withWorld(async (baseUrl, document, world) => {
    const failed: string[] = [];
    for (const seed of seeds) {
      const run = new Run({ seed, requests: listOperations(document).length }, baseUrl, document, world);
      const { neverWorked, statuses } = await run.finish();
      for (const id of neverWorked) {
        failed.push(`${id} with --seed ${seed}: ${[...(statuses.get(id)?.keys() ?? [])]}`);
      }
      await world.renewPages();
      await world.renewFunctions();
    }
    return failed;
  });
}

async function withWorld<Result>(
  use: (baseUrl: string, document: Document, world: World) => Promise<Result>,
): Promise<Result> {
  const dns = await startDns();
  const provider = startLyingProvider();
  const smtp = await startSmtp();
  const vendor = await startToolVendor();
  const site = startSite();
  vendor.play((_, { body }) =>
    JSON.stringify(body).includes(ENDLESS) ? { text: 'Let me think', ends: 'silence' } : { text: 'Done.' },
  );
  const server = await startServer({
    settings: {
      ...SETTINGS,
      ...provider.environment,
      QUIRE_DNS_SERVERS: dns.address,
      QUIRE_SMTP_URL: smtp.url,
      QUIRE_AI_URL: vendor.url,
    },
  });
  try {
    const document = (await (await fetch(`${server.baseUrl}/api/openapi.json`)).json()) as Document;
    const world = await World.create(server.baseUrl, server.dataFolder, {
      ...{ provider, smtp, elsewhere: site.url.href },
    });
    return await use(server.baseUrl, document, world);
  } finally {
    await server.stop();
    await smtp.stop();
    await vendor.stop();
    await dns.stop();
    provider.stop();
    await site.stop(true);
  }
}

/** A page elsewhere, to import. */
const startSite = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response('<!doctype html><title>Elsewhere</title>', { headers: { 'content-type': 'text/html' } }),
  });

class Run {
  private readonly operations: Operation[];
  private readonly check: Check;
  private readonly faults = new Map<string, Fault>();
  private readonly statuses = new Map<string, Map<number, number>>();
  private begun = 0;
  private renewing: Promise<void> = Promise.resolve();
  private alone: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: Options,
    private readonly baseUrl: string,
    private readonly document: Document,
    private readonly world: World,
  ) {
    this.operations = listOperations(document);
    this.check = createCheck(document);
  }

  async finish(): Promise<Report> {
    const { workers = 8, requests } = this.options;
    await Promise.all(Array.from({ length: workers }, () => this.work()));
    const worked = (id: string) =>
      [...(this.statuses.get(id)?.keys() ?? [])].some(
        (status) => status < 400 || DECLINED.has(status) || mayDecline(id, status),
      );
    return {
      requests,
      operations: this.operations.length,
      faults: [...this.faults.values()],
      statuses: this.statuses,
      neverWorked: this.operations.map(({ operationId }) => operationId).filter((id) => !worked(id)),
    };
  }

  private async work(): Promise<void> {
    for (let turn = this.begun++; turn < this.options.requests; turn = this.begun++) {
      if (turn > 0 && turn % PAGES_LAST === 0) this.renew(() => this.world.renewPages());
      if (turn > 0 && turn % FUNCTIONS_LAST === 0) this.renew(() => this.world.renewFunctions());
      await this.renewing;
      await this.ask(turn);
      if (turn % 1000 === 0) this.options.onProgress?.(turn);
    }
  }

  private renew(make: () => Promise<void>): void {
    this.renewing = this.renewing.then(make);
  }

  private async ask(turn: number): Promise<void> {
    const random = new Random(this.options.seed, turn);
    const round = Math.floor(turn / this.operations.length);
    let operation = this.operations[turn % this.operations.length] as Operation;
    while (COSTLY.has(operation.operationId) && round >= COSTLY_ROUNDS && !random.chance(COSTLY_CHANCE)) {
      operation = random.pick(this.operations);
    }
    const intent: Intent =
      round < 2 ? 'sound' : random.pick(['sound', 'by anybody', 'spoilt', 'spoilt'] as const);
    if (!ALONE.has(operation.operationId)) return this.perform(operation, intent, random);
    this.alone = this.alone.then(() => this.perform(operation, intent, random));
    return this.alone;
  }

  private async perform(operation: Operation, intent: Intent, random: Random): Promise<void> {
    const sent = await generate(operation, intent, { document: this.document, world: this.world, random });
    const got = await send(sent, this.baseUrl).catch((error: unknown) => String(error));
    if (typeof got === 'string') return this.blame(sent, `no answer: ${got}`, '');
    const counts = this.statuses.get(operation.operationId) ?? new Map<number, number>();
    counts.set(got.status, (counts.get(got.status) ?? 0) + 1);
    this.statuses.set(operation.operationId, counts);
    // Nobody could register any more.
    if (operation.operationId === 'setRegistration' && got.status === 200) await this.world.reopen();
    const fault = this.check(sent, got);
    if (fault) this.blame(sent, fault, `${got.status} ${got.text.slice(0, 600)}`);
    else if (operation.operationId === 'refreshToken' && got.status === 200) {
      this.world.refreshTokens.push(JSON.parse(got.text).refreshToken);
    }
  }

  private blame(sent: Sent, message: string, answer: string): void {
    const { operationId } = sent.operation;
    const key = `${operationId}: ${message.slice(0, 120)}`;
    const known = this.faults.get(key);
    if (known) known.times++;
    else this.faults.set(key, { operationId, message, answer, curl: toCurl(sent, this.baseUrl), times: 1 });
  }
}

async function send(sent: Sent, baseUrl: string): Promise<Got> {
  const leaving = new AbortController();
  const response = await fetch(toRequest(sent, baseUrl), {
    signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(ANSWER_MS)]),
  });
  const { status, headers } = response;
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status, headers, text: await response.text() };
  }
  const text = await readSome(response);
  leaving.abort();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown);
  return { status, headers, text, events };
}

/** A stream may never end: reads the complete events of its first moment. */
async function readSome(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const over = Bun.sleep(100).then(() => undefined);
  let text = '';
  for (;;) {
    const part = await Promise.race([reader.read(), over]);
    if (!part || part.done) break;
    text += Buffer.from(part.value).toString();
  }
  void reader.cancel().catch(() => undefined);
  return text.slice(0, text.lastIndexOf('\n\n') + 2);
}
