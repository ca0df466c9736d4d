import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { INFO_FD, type Launch } from './box/sandbox.ts';
import { parseInnerPid, spawnBoxed } from './box/spawn-boxed.ts';
import { readMemory } from './memory.ts';
import { isOutOfMemoryLine } from './messages.ts';
import { readDescriptor, readLines } from './output.ts';
import { setProcessPriority } from './priority.ts';

interface StartOptions {
  launch: Launch;
  /** The process is ready when it listens on this many sockets. */
  sockets: number;
  deadlineMs: number;
  /** The process is killed if it uses more private memory than this while it starts. */
  maxBytes?: number;
  /** The `nice` value of the process. */
  priority?: number;
  /** Environment variables in addition to a plain PATH. */
  env?: Record<string, string>;
  /** Called with every line that the process prints after it has started. */
  onLine(line: string): void;
}

/** Thrown if workerd ends or is killed before it listens. `output` is what it printed. */
export class StartError extends Error {
  constructor(
    readonly output: string,
    readonly isTimeout: boolean,
    readonly isOutOfMemory: boolean,
  ) {
    super(isTimeout ? 'workerd did not start in time' : `workerd did not start: ${output.slice(0, 2_000)}`);
  }
}

const CONTROL_FD = 3;
const SLOW_START_MS = 500;
const MAX_KEPT_OUTPUT = 64 * 1024;
const LOOK_EVERY_MS = 50;
/** Far longer than it takes to read what a process printed before it ended. */
const OUTPUT_MS = 2_000;

export const SERVE = ['serve', `--control-fd=${CONTROL_FD}`];

/** Starts a workerd and waits until it listens on all its sockets. */
export async function startWorkerd(options: StartOptions): Promise<WorkerdProcess> {
  const process = new WorkerdProcess(options);
  await process.untilListening();
  return process;
}

/** A workerd process, in a box if the sandbox allows it. */
export class WorkerdProcess {
  /** Resolves when it has ended, with the signal that ended it. */
  readonly exited: Promise<NodeJS.Signals | null>;
  /** Resolves when it has ended and everything it printed has been read. */
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly outputEnded: Promise<unknown>;
  /** The process inside the box. bwrap may report it a moment after it listens. */
  private innerPid = 0;
  private readonly pidKnown: Promise<void>;
  private readonly listening: Promise<boolean>;
  private output = '';
  private hasStarted = false;
  private ranOutOfMemory = false;

  constructor(private readonly options: StartOptions) {
    this.child = spawnBoxed(options.launch, {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...options.env },
    });
    const { child } = this;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? toSignal(code)));
      child.once('error', () => resolve(null));
    });
    this.pidKnown = options.launch.hasInfoFd ? this.readInnerPid() : Promise.resolve();
    this.listening = this.readReadiness();
    const onLine = (line: string) => this.readLine(line);
    this.outputEnded = Promise.all([readLines(child.stdout, onLine), readLines(child.stderr, onLine)]);
    this.ended = this.exited.then(() => this.outputRead());
  }

  /** The process that does the work, inside the box if there is one. */
  get pid(): number {
    return this.innerPid || (this.child.pid ?? 0);
  }

  /** Its CPU time so far, as counted by the kernel. */
  get cpuMs(): number {
    try {
      const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(stat[11]) + Number(stat[12])) * 10;
    } catch {
      return 0;
    }
  }

  /** True if it printed that it ends because it is out of memory. */
  get isOutOfMemory(): boolean {
    return this.ranOutOfMemory;
  }

  /** Kills it immediately. No data is lost: cells keep no state, and databases are durable before they respond. */
  kill(): void {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    // Kill the process in the box first: if only bwrap is killed, the process ends a moment later.
    if (this.innerPid) trySignal(this.innerPid, 'SIGKILL');
    this.child.kill('SIGKILL');
  }

  /** Asks it to shut down and to release its resources. */
  end(): void {
    // Do not signal bwrap: it would kill the process in the box instead of passing the signal on.
    if (this.innerPid) trySignal(this.innerPid, 'SIGTERM');
    else this.child.kill('SIGTERM');
  }

  async untilListening(): Promise<void> {
    const { deadlineMs, onLine } = this.options;
    let isTimeout = false;
    const deadline = setTimeout(() => {
      isTimeout = true;
      this.kill();
    }, deadlineMs);
    // Code that never finishes loading must not take CPU time from others.
    const slowStart = setTimeout(() => this.setPriority(), SLOW_START_MS);
    const looking = setInterval(() => this.boundMemory(), LOOK_EVERY_MS);
    const [isListening] = await Promise.all([this.listening, this.pidKnown]);
    clearTimeout(deadline);
    clearTimeout(slowStart);
    clearInterval(looking);
    if (!isListening) {
      await this.outputRead();
      throw new StartError(this.output, isTimeout, this.ranOutOfMemory);
    }
    this.setPriority();
    this.hasStarted = true;
    for (const line of this.output.split('\n').filter(Boolean)) onLine(line);
    this.output = '';
  }

  /** Waits until the rest of its output has been read. A process that it has left behind can keep the pipes open. */
  private async outputRead(): Promise<void> {
    const { promise: tooLate, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, OUTPUT_MS);
    await Promise.race([this.outputEnded, tooLate]);
    clearTimeout(deadline);
  }

  private readInnerPid(): Promise<void> {
    return new Promise((resolve) => {
      readDescriptor(this.child, INFO_FD, (text) => {
        this.innerPid = parseInnerPid(text);
        if (this.innerPid) resolve();
      });
      void this.exited.then(() => resolve());
    });
  }

  /** workerd reports its sockets on the control descriptor. The socket file exists before the module has loaded. */
  private readReadiness(): Promise<boolean> {
    return new Promise((resolve) => {
      readDescriptor(this.child, CONTROL_FD, (text) => {
        if (text.split('"listen"').length > this.options.sockets) resolve(true);
      });
      void this.exited.then(() => resolve(false));
    });
  }

  private readLine(line: string): void {
    if (isOutOfMemoryLine(line)) this.ranOutOfMemory = true;
    if (this.hasStarted) this.options.onLine(line);
    else if (this.output.length < MAX_KEPT_OUTPUT) this.output += `${line}\n`;
  }

  private boundMemory(): void {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.options;
    if ((readMemory(this.pid)?.ownBytes ?? 0) < maxBytes) return;
    this.ranOutOfMemory = true;
    this.kill();
  }

  private setPriority(): void {
    if (this.options.priority !== undefined) setProcessPriority(this.pid, this.options.priority);
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** The signal that ended the process in a box. Like a shell, bwrap reports 128 plus the signal number. */
function toSignal(code: number | null): NodeJS.Signals | null {
  const number = (code ?? 0) - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return (name as NodeJS.Signals | undefined) ?? null;
}
