import { join } from 'node:path';
import type { ControlGroup, OwnerId } from '../workerd/index.ts';
import {
  MemoryWatch,
  memoryBounds,
  PRIORITIES,
  readMemory,
  StartError,
  setProcessPriority,
  startWorkerd,
  type WorkerdProcess,
} from '../workerd/index.ts';
import { readAnswer } from './answer.ts';
import { BodyTurns } from './body-turns.ts';
import { type CallMarks, toMarks } from './call-marks.ts';
import { type CellContext, type CellProgram, prepareCell } from './cell-files.ts';
import { CpuWatch } from './cpu-watch.ts';
import { limitData } from './data-limit.ts';
import { noHandler, outOfMemory, toLoadError, tooSlow, unreadable } from './load-error.ts';
import { Probe } from './probe.ts';
import type { Admission } from './service-socket.ts';
import { CellSockets, type SocketAnswer } from './sockets/cell-sockets.ts';

/** What a cell must know about a call in addition to the request. */
interface CellCall extends CallMarks {
  /** The caller that this call counts for. */
  caller: string;
  bodyBytes: number;
  /** True if the caller asks for a WebSocket. */
  isUpgrade?: boolean | undefined;
  /** Called when the call has waited for its turn. */
  onTurn(): void;
}

/** Why a cell was killed, if it did not crash. */
type KillReason = 'cpu' | 'memory' | 'place';

/** A module must load within this time. */
const LOAD_MS = 5_000;
/** How often the memory of a busy cell is checked. In this time one core fills a few hundred megabytes at most. */
export const LOOK_EVERY_MS = 50;
/** Request bodies may use this fraction of a cell's memory at a time: a parsed body takes up many times its size. */
const BODIES_PART = 16;

/** A process that runs one owner's module. It keeps no state, so it can be killed at any time. */
export class Cell {
  lastUsedAt = Date.now();
  /** When the latest call began. Every call in flight is at least this old. */
  lastCalledAt = Date.now();
  inFlight = 0;
  readonly sockets: CellSockets;
  killedFor: KillReason | undefined;
  /** True if it was killed for its memory after it had finished its calls, so no call was cut off. */
  hasFinished = false;
  /** True if its module can run on a schedule. */
  hasScheduled = false;
  /** True if its module takes messages. */
  hasQueue = false;
  private readonly httpSocket: string;
  private readonly probe: Probe;
  readonly cpu: CpuWatch;
  private readonly callers = new Map<string, number>();
  private priority: number = PRIORITIES.modest;
  private readonly turns: BodyTurns;
  private memory: MemoryWatch | undefined;
  private group: ControlGroup | undefined;
  /** Resolves when the process has ended and all its output has been read. */
  readonly exited: Promise<void>;

  private constructor(
    private readonly process: WorkerdProcess,
    socketFolder: string,
    private readonly context: CellContext,
    private readonly admission: Admission | undefined,
  ) {
    this.httpSocket = join(socketFolder, 'http');
    this.probe = new Probe(join(socketFolder, 'probe'));
    this.cpu = new CpuWatch({
      limitMs: context.limits.cpuMs,
      cpuMs: () => process.cpuMs,
      probe: () => this.probe.respond(),
    });
    this.sockets = new CellSockets(this.httpSocket, context.maxDescriptors);
    this.turns = new BodyTurns(memoryBounds(context.limits.memoryMegabytes).allowanceBytes / BODIES_PART);
    this.exited = process.ended.then(() => {
      if (process.isOutOfMemory || this.group?.wasKilled()) this.killedFor ??= 'memory';
      this.group?.remove();
      this.turns.close();
    });
  }

  /** Starts a cell. Resolves when its module has loaded and exports a handler. */
  static async start(
    context: CellContext,
    name: string,
    owner: OwnerId,
    program: CellProgram,
    onLine: (line: string) => void,
  ): Promise<Cell> {
    const { limits } = context;
    const files = await prepareCell(context, name, owner, program, onLine);
    try {
      const process = await startWorkerd({
        launch: files.launch,
        sockets: 2,
        deadlineMs: LOAD_MS,
        maxBytes: memoryBounds(limits.memoryMegabytes).stopBytes,
        priority: PRIORITIES.modest,
        onLine,
      });
      void process.exited.then(files.release);
      const cell = new Cell(process, files.socketFolder, context, files.admission);
      // Reading the default export can run owner code, which can use up memory.
      const looking = setInterval(() => cell.lookAtMemory(Date.now()), LOOK_EVERY_MS);
      try {
        await Promise.all([cell.boundMemory(name), cell.assertHandler()]);
      } catch (error) {
        cell.kill();
        throw error;
      } finally {
        clearInterval(looking);
      }
      return cell;
    } catch (error) {
      files.release();
      throw error instanceof StartError ? toLoadError(error) : error;
    } finally {
      // workerd has read the files. Code and secrets must not stay on disk.
      files.removeConfig();
    }
  }

  /** Lets the cell use services as this function. */
  serve(functionId: number): void {
    this.admission?.serve(functionId);
  }

  /** True if it has used up its memory. It finishes its calls but should get no new ones. */
  get isExhausted(): boolean {
    return this.memory?.isExhausted === true;
  }

  /** True if it has calls in flight, or WebSockets. */
  get isInUse(): boolean {
    return this.inFlight > 0 || this.sockets.size > 0;
  }

  /** When a call or a message last needed it. */
  get usedAt(): number {
    return Math.max(this.lastUsedAt, this.sockets.lastUsedAt);
  }

  /** The number of calls from this caller that are in flight. */
  countCalls(caller: string): number {
    return this.callers.get(caller) ?? 0;
  }

  /** True if calls wait here for other calls to finish. */
  get isCrowded(): boolean {
    return this.turns.isCrowded;
  }

  /**
   * Sends a request to the owner's handler and counts it until its response is complete. A request with a large body
   * may have to wait for its turn. Throws `NoTurnError` if the cell ends before that.
   */
  async fetch(
    path: string,
    init: RequestInit & { signal: AbortSignal },
    { caller, bodyBytes, isUpgrade, onTurn, ...marked }: CellCall,
  ): Promise<SocketAnswer> {
    this.inFlight++;
    this.callers.set(caller, this.countCalls(caller) + 1);
    this.lastUsedAt = Date.now();
    this.lastCalledAt = this.lastUsedAt;
    const done = () => {
      this.inFlight--;
      const left = this.countCalls(caller) - 1;
      if (left === 0) this.callers.delete(caller);
      else this.callers.set(caller, left);
      this.lastUsedAt = Date.now();
    };
    try {
      // Counts as a call until the function has answered.
      if (isUpgrade) return await this.sockets.open(path, init, caller, done);
      const turn = this.turns.begin(bodyBytes, init.signal);
      if (turn) {
        await turn;
        onTurn();
      }
      const marks = toMarks(marked);
      // Do not follow redirects, because they would leave the socket. Do not decompress, because the headers would no
      // longer match the body.
      const options = {
        ...init,
        redirect: 'manual',
        decompress: false,
        // The shim looks for marks only on the probe's socket, so that other calls do not pay for it.
        unix: marks ? this.probe.socket : this.httpSocket,
        ...(marks && { headers: { ...init.headers, ...marks } }),
      } as RequestInit;
      const response = await fetch(`http://function${path}`, options).finally(() =>
        this.turns.end(bodyBytes),
      );
      const answer = await readAnswer(response, init.method, done);
      if (!answer.stream) done();
      return answer;
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Gives the cell the lowest CPU priority while its owner uses a lot of CPU time. */
  setGreedy(isGreedy: boolean): void {
    const priority = isGreedy ? PRIORITIES.greedy : PRIORITIES.modest;
    if (priority === this.priority) return;
    this.priority = priority;
    setProcessPriority(this.process.pid, priority);
  }

  kill(reason?: KillReason): void {
    this.killedFor ??= reason;
    this.process.kill();
  }

  /** Kills the cell, and lets no call have its turn that the end of another call would give it now. */
  end(): void {
    this.turns.close();
    this.kill();
  }

  /** The memory used in addition to what the runtime itself needs. */
  get addedBytes(): number {
    const memory = readMemory(this.process.pid);
    return memory ? Math.max(0, memory.ownBytes - this.context.floor.bytes) : 0;
  }

  /** Kills the cell if it exceeds its memory. Called several times a second. */
  lookAtMemory(now: number): void {
    const { memory } = this;
    if (!memory || (!this.isInUse && this.recentCpuMs === 0 && !memory.isConcerned)) return;
    if (memory.mustStop(now)) this.kill('memory');
    if (!memory.isExhausted) return;
    this.turns.close();
    if (this.inFlight > 0 || this.killedFor) return;
    this.hasFinished = this.sockets.size === 0;
    this.kill('memory');
  }

  /** CPU time between the last two checks. */
  get recentCpuMs(): number {
    return this.cpu.recentMs;
  }

  /** Kills the cell if it blocks its event loop. Called about once a second. */
  watch(now: number): void {
    if (this.cpu.isBlocked(now)) this.kill('cpu');
  }

  /** Measures the memory of the process before its first call, and limits how much it may add. */
  private async boundMemory(name: string): Promise<void> {
    const { floor, groups, limits } = this.context;
    const { pid } = this.process;
    const bounds = memoryBounds(limits.memoryMegabytes);
    const ready = readMemory(pid);
    if (!ready) return;
    floor.lower(ready.ownBytes);
    this.group = groups?.add(name, pid, bounds.stopBytes);
    const watch = (canCollect: boolean) =>
      new MemoryWatch(bounds, {
        addedBytes: () => this.addedBytes,
        cpuMs: () => this.process.cpuMs,
        collect: canCollect ? () => this.probe.collect() : undefined,
      });
    this.memory = watch(false);
    this.memory = watch(await limitData(pid, ready.dataBytes + bounds.dataBytes));
  }

  /** Checks the default export. Owner code can make that hang or throw. */
  private async assertHandler(): Promise<void> {
    const signal = AbortSignal.timeout(LOAD_MS);
    const found = await this.probe.readStatus(signal).catch(async () => {
      if (signal.aborted) throw tooSlow();
      await Promise.race([this.exited, Bun.sleep(1_000)]);
      throw this.killedFor === 'memory' ? outOfMemory() : unreadable();
    });
    this.hasScheduled = found?.hasScheduled === true;
    this.hasQueue = found?.hasQueue === true;
    this.admission?.useQueue(this.hasQueue);
    if (found?.hasDefault && (found.hasFetch || this.hasScheduled || this.hasQueue)) return;
    throw noHandler(found?.hasDefault === true);
  }
}
