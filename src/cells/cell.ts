import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CellAnswer, readAnswer } from './answer.ts';
import { cellConfig } from './config-text.ts';
import type { DatabaseAddress } from './database-hosts.ts';
import type { Egress } from './egress.ts';
import type { OwnerId } from './places.ts';
import { SERVE, StartError, startWorkerd, type WorkerdProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { type Box, launch } from './sandbox.ts';

/** What a cell runs. */
export interface CellProgram {
  code: string;
  secrets: Record<string, string>;
  database?: DatabaseAddress | undefined;
}

export interface CellLimits {
  /** How long the event loop may be blocked. */
  cpuMs: number;
  heapMegabytes: number;
  /** Resident memory at which a cell is ended. */
  rssBytes: number;
}

export interface CellContext {
  runtime: Runtime;
  limits: CellLimits;
  egress: Egress;
  maxDescriptors: number;
  shim: string;
}

/** Why a cell was ended by us. */
type KillReason = 'cpu' | 'memory' | 'place';

/** Thrown when owner code cannot be run: what is wrong, and where in the code if that is known. */
export class LoadError extends Error {
  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

/** A module must have finished loading by then. */
const LOAD_MS = 5_000;

/** One process with one owner's module in it. It can be killed at any moment, and nothing is lost. */
export class Cell {
  lastUsedAt = Date.now();
  /** When the latest call began: every call in flight is at least as old. */
  lastCalledAt = Date.now();
  inFlight = 0;
  killedFor: KillReason | undefined;
  /** Processor time between the last two looks. */
  recentCpuMs = 0;
  private readonly httpSocket: string;
  private readonly probeSocket: string;
  private readonly callers = new Map<string, number>();
  private probing: { since: number; cpuMs: number } | undefined;
  private lastCpuMs = 0;

  private constructor(
    private readonly process: WorkerdProcess,
    socketFolder: string,
    private readonly limits: CellLimits,
  ) {
    this.httpSocket = join(socketFolder, 'http');
    this.probeSocket = join(socketFolder, 'probe');
  }

  /** Starts a cell; resolves when its module has loaded and has a handler. */
  static async start(
    context: CellContext,
    name: string,
    owner: OwnerId,
    program: CellProgram,
    onLine: (line: string) => void,
  ): Promise<Cell> {
    const { runtime, limits } = context;
    const { levels, users } = runtime.sandbox;
    const groups = [context.egress.group, program.database?.group].filter((group) => group !== undefined);
    const user = users?.next(groups);
    const socketFolder = runtime.makeFolder(`${name}-sockets`, user);
    const configFolder = runtime.makeFolder(`${name}-config`, user);
    const inBox = levels.functions === 'bwrap';
    const pass = context.egress.admit(owner, onLine);
    const paths = {
      config: inBox ? '/config' : configFolder,
      sockets: inBox ? '/sockets' : socketFolder,
      egress: inBox ? '/egress' : pass.folder,
      database: inBox ? '/database' : (program.database?.folder ?? ''),
    };
    const box: Box = {
      kind: 'functions',
      user,
      readOnly: [
        [configFolder, paths.config],
        [pass.folder, paths.egress],
        ...(program.database ? [[program.database.folder, paths.database] as [string, string]] : []),
      ],
      writable: [[socketFolder, paths.sockets]],
      maxDescriptors: context.maxDescriptors,
    };
    const put = (file: string, content: string) => runtime.writeFile(join(configFolder, file), content, user);
    put('quire-shim.js', context.shim);
    put('function.js', program.code);
    for (const [secret, value] of Object.entries(program.secrets)) put(`secret-${secret}`, value);
    put(
      'config.capnp',
      cellConfig({
        socketFolder: paths.sockets,
        egressSocket: join(paths.egress, 'http'),
        egressKey: pass.key,
        database: program.database && {
          socket: join(paths.database, 'http'),
          name: program.database.name,
          owner: program.database.owner,
          key: program.database.key,
        },
        secrets: Object.keys(program.secrets),
        heapMegabytes: limits.heapMegabytes,
      }),
    );
    try {
      const process = await startWorkerd({
        launch: launch(runtime.sandbox, box, [
          ...[runtime.binary, ...SERVE],
          join(paths.config, 'config.capnp'),
        ]),
        sockets: 2,
        deadlineMs: LOAD_MS,
        onLine,
      });
      void process.exited.then(() => {
        program.database?.release();
        pass.release();
        rmSync(socketFolder, { recursive: true, force: true });
      });
      const cell = new Cell(process, socketFolder, limits);
      try {
        await cell.assertHandler();
      } catch (error) {
        cell.kill();
        throw error;
      }
      return cell;
    } catch (error) {
      rmSync(socketFolder, { recursive: true, force: true });
      program.database?.release();
      pass.release();
      throw error instanceof StartError ? toLoadError(error) : error;
    } finally {
      // It has been read; code and secrets need not lie about.
      rmSync(configFolder, { recursive: true, force: true });
    }
  }

  get exited(): Promise<unknown> {
    return this.process.exited;
  }

  /** How many calls of this caller are in flight. */
  callsOf(caller: string): number {
    return this.callers.get(caller) ?? 0;
  }

  /** Sends a request to the owner's handler, and counts it until its answer is over. */
  async fetch(path: string, init: RequestInit, caller: string): Promise<CellAnswer> {
    this.inFlight++;
    this.callers.set(caller, this.callsOf(caller) + 1);
    this.lastUsedAt = Date.now();
    this.lastCalledAt = this.lastUsedAt;
    const done = () => {
      this.inFlight--;
      const left = this.callsOf(caller) - 1;
      if (left === 0) this.callers.delete(caller);
      else this.callers.set(caller, left);
      this.lastUsedAt = Date.now();
    };
    try {
      // Never follow: a redirect would leave the socket. Never unpack: the headers would no longer fit the body.
      const options = {
        ...init,
        redirect: 'manual',
        decompress: false,
        unix: this.httpSocket,
      } as RequestInit;
      const answer = await readAnswer(await fetch(`http://function${path}`, options), init.method, done);
      if (!answer.stream) done();
      return answer;
    } catch (error) {
      done();
      throw error;
    }
  }

  kill(reason?: KillReason): void {
    this.killedFor ??= reason;
    this.process.kill();
  }

  /** Own memory and processor time, as the kernel counts them. */
  usage(): { rssBytes: number; cpuMs: number } {
    try {
      const status = readFileSync(`/proc/${this.process.pid}/statm`, 'utf8').split(' ');
      const stat = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const ticks = Number(stat[11]) + Number(stat[12]);
      // Pages that are not shared: resident less shared, of 4 KiB each.
      return { rssBytes: (Number(status[1]) - Number(status[2])) * 4096, cpuMs: ticks * 10 };
    } catch {
      return { rssBytes: 0, cpuMs: 0 };
    }
  }

  /** Ends the cell if it has outgrown its memory or blocks its event loop; called every second or so. */
  watch(now: number): void {
    const { rssBytes, cpuMs } = this.usage();
    if (rssBytes > this.limits.rssBytes) this.kill('memory');
    this.recentCpuMs = cpuMs - this.lastCpuMs;
    this.lastCpuMs = cpuMs;
    if (!this.probing) {
      // Any use at all is reason to ask: where many cells block at once, each gets little of the processor.
      if (this.recentCpuMs > 0) this.probe(now, cpuMs);
      return;
    }
    // It must have had the processor for most of that time: on a crowded machine, waiting is not blocking.
    const waited = now - this.probing.since;
    const used = cpuMs - this.probing.cpuMs;
    if (waited > this.limits.cpuMs && used > this.limits.cpuMs * 0.7) this.kill('cpu');
  }

  private probe(since: number, cpuMs: number): void {
    this.probing = { since, cpuMs };
    const done = () => {
      this.probing = undefined;
    };
    // Without a deadline: what counts is the processor time until it answers, however long that takes.
    this.askProbe({ timeout: false }).then(done, done);
  }

  private askProbe(options: { signal?: AbortSignal; timeout?: false }): Promise<Response> {
    return fetch('http://probe/', { ...options, unix: this.probeSocket } as RequestInit);
  }

  /** Looks at the default export, which may be made to hang or to throw when it is looked at. */
  private async assertHandler(): Promise<void> {
    const signal = AbortSignal.timeout(LOAD_MS);
    const found = await this.askProbe({ signal })
      .then((response) => response.json() as Promise<{ hasDefault: boolean; hasFetch: boolean }>)
      .catch(() => {
        throw signal.aborted ? tooSlow() : new LoadError('The default export cannot be read.', 1, 1);
      });
    if (found?.hasDefault && found.hasFetch) return;
    throw found?.hasDefault
      ? new LoadError(
          'The default export has no fetch function. Write: export default { fetch(request, env) { … } }',
          1,
          1,
        )
      : new LoadError(
          'The module has no default export. Write: export default { fetch(request, env) { … } }',
          1,
          1,
        );
  }
}

function tooSlow(): LoadError {
  return new LoadError('The module did not finish loading within 5 seconds.', 1, 1);
}

/** Reads workerd's complaint about a module. */
function toLoadError(error: StartError): Error {
  if (error.isTimeout) return tooSlow();
  if (error.output.includes('heap out of memory'))
    return new LoadError('The module ran out of memory while it loaded.', 1, 1);
  const complaint = /service main: (?:Uncaught )?(.*?)"(?:,"context|})/s.exec(error.output)?.[1];
  if (complaint === undefined) return error;
  const text = (JSON.parse(`"${complaint}"`) as string).trim();
  const place = /at function\.js:(\d+)(?::(\d+))?/.exec(text);
  const message = text.replace(/\n\s*at .*$/s, '').replaceAll('\n', ' ');
  if (!place) return new LoadError(message, 1, 1);
  // V8 counts a syntax error's columns from 0, and those of a running program from 1.
  const column = Number(place[2] ?? 0) + (message.startsWith('SyntaxError') ? 1 : 0);
  return new LoadError(message, Number(place[1]), Math.max(1, column));
}
