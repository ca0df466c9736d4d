import { join } from 'node:path';
import { z } from 'zod';
import { StartError, type WorkerdProcess } from '../../workerd/index.ts';

/** A database host of a cluster: it runs as long as the server does, and comes back when it ends. */
export interface ShardHost {
  readonly isUp: boolean;
  /** How often it had to be started again. */
  readonly restarts: number;
  /** Its databases that were used lately, with when. */
  readonly lastUses: LastUses;
  /** Resolves when it runs, or after so long; says whether it does. */
  whenUp(milliseconds: number): Promise<boolean>;
  /** Lets it finish what is under way and hand its databases over, and ends it. */
  stop(): Promise<void>;
}

/** Moments by the names of databases. */
export type LastUses = Record<string, number>;
const Alive = z.object({ lastUses: z.record(z.string(), z.number()) });

const WATCH_EVERY_MS = 1_000;
const WEIGH_EVERY_MS = 10_000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 2_000;
const DRAIN_MS = 5_000;
/** What it needs to give its lease back; a bucket that hangs must not keep the server from ending. */
const LEAVE_MS = 10_000;

/** What cannot get better by waiting. */
const HOPELESS = [
  [
    /ignores conditional writes/,
    'The bucket ignores conditional writes (If-None-Match, If-Match), so databases in it could be written at two nodes at once. Use a bucket that honours them.',
  ],
  [
    /is public, and traffic/,
    'QUIRE_CLUSTER_ADDRESS is a public address, and what hosts say to each other is not encrypted. Use an address in a private network.',
  ],
  [
    /is a wildcard/,
    'QUIRE_CLUSTER_ADDRESS must be an address at which the other nodes reach this one, not 0.0.0.0 or [::].',
  ],
  [
    /\b(403|AccessDenied|SignatureDoesNotMatch|InvalidAccessKeyId)\b/,
    'The bucket refuses the keys in S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
  ],
  [/NoSuchBucket/, 'There is no bucket of the name in S3_BUCKET.'],
  [
    /Cannot assign requested address/,
    'QUIRE_CLUSTER_ADDRESS is not an address of this machine. Set it to one at which the other nodes reach it.',
  ],
  [
    /Name or service not known/,
    'The name in QUIRE_CLUSTER_ADDRESS leads nowhere. Set it to an address of this machine, like 10.0.0.1:7000.',
  ],
] as const;

/** How workerd ends when its memory is full. */
const FATAL: NodeJS.Signals[] = ['SIGABRT', 'SIGILL', 'SIGTRAP', 'SIGSEGV'];

/** Thrown when this node cannot be one of the cluster, with what to do about it. */
export class ClusterError extends Error {}

/** Starts it; a bucket that does not answer is waited for in the background. */
export async function startShardHost(options: {
  shard: number;
  /** The folder with its socket, `http`. */
  folder: string;
  key: string;
  start(): Promise<WorkerdProcess>;
  /** Whether it has filled the disk with what statements left that were undone. */
  isBloated(): boolean;
  /** Without an answer for so long, it is ended. */
  statementMs: number;
  /** Called when what was run last has ended it: it took too long, or all memory. */
  onOverload(): void;
  onLine(line: string): void;
  /** What an operator should know of: that it cannot be started, and once that is over, that it runs. */
  tell(message: string): void;
}): Promise<ShardHost> {
  const { shard } = options;
  let current: WorkerdProcess | undefined;
  let isStopping = false;
  let restarts = 0;
  let askedAt: number | undefined;
  let isMissed = false;
  let lastUses: LastUses = {};
  const waiting = new Set<() => void>();

  function ask(path: string, milliseconds: number): Promise<Response> {
    return fetch(`http://database${path}`, {
      unix: join(options.folder, 'http'),
      headers: { 'x-quire-key': options.key },
      signal: AbortSignal.timeout(milliseconds),
    } as RequestInit);
  }

  async function run(): Promise<void> {
    const started = await options.start();
    current = started;
    askedAt = undefined;
    lastUses = {};
    for (const resolve of waiting) resolve();
    waiting.clear();
    if (isMissed) options.tell(`the database host of shard ${shard} runs again`);
    isMissed = false;
    void started.exited.then((signal) => {
      if (current === started) current = undefined;
      if (isStopping) return;
      if (signal !== null && FATAL.includes(signal)) options.onOverload();
      isMissed = true;
      options.tell(`the database host of shard ${shard} ended, and is started again`);
      void comeBack();
    });
    if (isStopping) started.kill();
  }

  /** Once for each time that it is away: it is tried every few seconds. */
  function miss(error: unknown): void {
    options.onLine(`the database host of shard ${shard} could not be started: ${error}`);
    if (isMissed) return;
    isMissed = true;
    const [reason = ''] = /failed: .*/.exec(String(error)) ?? [];
    options.tell(`the database host of shard ${shard} cannot be started, and is tried again; ${reason}`);
  }

  async function comeBack(): Promise<void> {
    for (let pause = FIRST_RETRY_MS; !isStopping; pause = Math.min(2 * pause, MAX_RETRY_MS)) {
      restarts++;
      try {
        await run();
        return;
      } catch (error) {
        miss(error);
        await Bun.sleep(pause);
      }
    }
  }

  const weighing = setInterval(() => {
    if (!current || !options.isBloated()) return;
    options.onOverload();
    current.kill();
  }, WEIGH_EVERY_MS);

  /** One long statement keeps all databases of the host waiting, and in the end makes it lose its lease. */
  const watching = setInterval(() => {
    if (!current) return;
    if (askedAt !== undefined) {
      if (Date.now() - askedAt <= options.statementMs) return;
      askedAt = Number.POSITIVE_INFINITY;
      options.onOverload();
      current.kill();
      return;
    }
    askedAt = Date.now();
    void ask('/status', 2 * options.statementMs)
      .then(async (response) => {
        lastUses = Alive.parse(await response.json()).lastUses;
      })
      .catch(() => undefined)
      .finally(() => {
        askedAt = undefined;
      });
  }, WATCH_EVERY_MS);

  try {
    await run();
  } catch (error) {
    const reason = toClusterError(error);
    if (reason) {
      clearInterval(watching);
      clearInterval(weighing);
      throw reason;
    }
    miss(error);
    void comeBack();
  }

  return {
    get isUp() {
      return current !== undefined;
    },
    get lastUses() {
      return lastUses;
    },
    get restarts() {
      return restarts;
    },
    whenUp(milliseconds) {
      if (current) return Promise.resolve(true);
      return new Promise((resolve) => {
        const up = () => {
          clearTimeout(deadline);
          resolve(true);
        };
        const deadline = setTimeout(() => {
          waiting.delete(up);
          resolve(false);
        }, milliseconds);
        waiting.add(up);
      });
    },
    async stop() {
      isStopping = true;
      clearInterval(watching);
      clearInterval(weighing);
      const ending = current;
      if (!ending) return;
      await ask('/drain', DRAIN_MS).catch(() => undefined);
      ending.end();
      const deadline = setTimeout(ending.kill, LEAVE_MS);
      await ending.exited;
      clearTimeout(deadline);
    },
  };
}

function toClusterError(error: unknown): ClusterError | undefined {
  if (!(error instanceof StartError)) return undefined;
  const [, message] = HOPELESS.find(([pattern]) => pattern.test(error.output)) ?? [];
  return message === undefined ? undefined : new ClusterError(message, { cause: error });
}
