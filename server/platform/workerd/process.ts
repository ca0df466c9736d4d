import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { INFO_FD, type Launch } from './box/sandbox.ts';
import { spawnBoxed } from './box/spawn-boxed.ts';
import { readMemory } from './memory.ts';
import { setPriorityOf } from './priority.ts';

/** A workerd that is listening. */
export interface WorkerdProcess {
  /** The process that does the work, inside the box if there is one. */
  readonly pid: number;
  /** Resolves when it has ended, whoever ended it, to the signal that did. */
  exited: Promise<NodeJS.Signals | null>;
  /** Resolves when it has ended and all that it printed has been read. */
  ended: Promise<unknown>;
  /** True when it said that it ends for want of memory. */
  readonly isOutOfMemory: boolean;
  /** Ends it at once. Nothing is lost: cells keep nothing, and databases are durable before they answer. */
  kill(): void;
  /** Asks it to end by itself, giving back what it holds. */
  end(): void;
}

/** Thrown when workerd ends, or is ended, before it listens; `output` is what it said. */
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
/** What V8 and the allocator say before they end the process. */
const OUT_OF_MEMORY =
  /"level":"fatal".*out of memory|^\d+ \S+\] tcmalloc: allocation failed|^Unable to allocate \d/;
const LOOK_EVERY_MS = 50;

export const SERVE = ['serve', `--control-fd=${CONTROL_FD}`];

/**
 * Starts a workerd and waits until it listens on all its sockets. Readiness is what it says on the control descriptor:
 * its socket file is there before its module is loaded.
 */
export async function startWorkerd(options: {
  launch: Launch;
  sockets: number;
  deadlineMs: number;
  /** Own memory at which it is ended while it starts. */
  maxBytes?: number;
  /** Where it stands among those who want the processor, as `nice` counts it. */
  priority?: number;
  /** Besides a plain PATH. */
  env?: Record<string, string>;
  /** Gets every line that the process prints once it runs. */
  onLine(line: string): void;
}): Promise<WorkerdProcess> {
  const { hasInfoFd } = options.launch;
  const child = spawnBoxed(options.launch, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', hasInfoFd ? 'pipe' : 'ignore'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...options.env },
  });
  let innerPid = 0;
  let onInnerPid: () => void = () => undefined;
  const kill = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // The process in the box must go first: killing bwrap alone takes a moment to reach it.
    if (innerPid) trySignal(innerPid, 'SIGKILL');
    child.kill('SIGKILL');
  };
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? signalOf(code)));
    child.once('error', () => resolve(null));
  });
  if (hasInfoFd) {
    readAll(child, INFO_FD, (text) => {
      innerPid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0);
      if (innerPid) onInnerPid();
    });
  }
  let output = '';
  const keep = (line: string) => {
    if (output.length < MAX_KEPT_OUTPUT) output += `${line}\n`;
  };
  let onLine = keep;
  let isOutOfMemory = false;
  const hear = (line: string) => {
    if (OUT_OF_MEMORY.test(line)) isOutOfMemory = true;
    onLine(line);
  };
  const outputEnded = Promise.all([readLines(child.stdout, hear), readLines(child.stderr, hear)]);

  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const looking = setInterval(() => {
    if ((readMemory(innerPid || (child.pid ?? 0))?.ownBytes ?? 0) < maxBytes) return;
    isOutOfMemory = true;
    kill();
  }, LOOK_EVERY_MS);
  let isTimeout = false;
  const deadline = setTimeout(() => {
    isTimeout = true;
    kill();
  }, options.deadlineMs);
  // bwrap may tell the id of the process a moment after that listens.
  const known = new Promise<void>((resolve) => {
    if (!hasInfoFd) resolve();
    onInnerPid = resolve;
    void exited.then(() => resolve());
  });
  const { priority } = options;
  const setPriority = () => {
    if (priority !== undefined) setPriorityOf(innerPid || (child.pid ?? 0), priority);
  };
  // Code that never finishes loading must not keep others from the processor meanwhile.
  const slowStart = setTimeout(setPriority, SLOW_START_MS);
  const listening = new Promise<boolean>((resolve) => {
    readAll(child, CONTROL_FD, (text) => {
      if (text.split('"listen"').length > options.sockets) resolve(true);
    });
    void exited.then(() => resolve(false));
  });
  const [isListening] = await Promise.all([listening, known]);
  clearTimeout(deadline);
  clearTimeout(slowStart);
  clearInterval(looking);
  if (!isListening) {
    await outputEnded;
    throw new StartError(output, isTimeout, isOutOfMemory);
  }
  setPriority();
  onLine = options.onLine;
  for (const line of output.split('\n').filter(Boolean)) onLine(line);
  return {
    pid: innerPid || (child.pid ?? 0),
    exited,
    ended: Promise.all([exited, outputEnded]),
    get isOutOfMemory() {
      return isOutOfMemory;
    },
    kill,
    end() {
      // Not to bwrap, which would end the process in its box without asking.
      if (innerPid) trySignal(innerPid, 'SIGTERM');
      else child.kill('SIGTERM');
    },
  };
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself in the meantime.
  }
}

/** The signal that ended the process in a box: bwrap tells it as shells do. */
function signalOf(code: number | null): NodeJS.Signals | null {
  const number = (code ?? 0) - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return (name as NodeJS.Signals | undefined) ?? null;
}

/** Collects what comes on an extra descriptor, showing the whole so far at each piece. */
function readAll(child: ChildProcess, fd: number, onText: (soFar: string) => void): void {
  let text = '';
  const stream = child.stdio[fd] as Readable | null;
  stream?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4096);
    onText(text);
  });
  stream?.on('error', () => undefined);
}

const MAX_LINE = 16 * 1024;
/**
 * A process that prints more than this in a second waits for the next one: reading it costs us, not the writer. It is
 * enough for a million lines in some seconds, since whoever waits answers no calls.
 */
const MAX_BYTES_PER_SECOND = 16 * 1024 * 1024;

/** Splits output into lines; an endless one is cut, so that a process cannot fill our memory by printing. */
function readLines(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder();
  let rest = '';
  let second = 0;
  let bytes = 0;
  return new Promise((resolve) => {
    if (!stream) {
      resolve();
      return;
    }
    stream.on('data', (chunk: Buffer) => {
      const now = Math.floor(Date.now() / 1000);
      bytes = now === second ? bytes + chunk.length : chunk.length;
      second = now;
      if (bytes > MAX_BYTES_PER_SECOND) {
        stream.pause();
        setTimeout(() => stream.resume(), 1000 - (Date.now() % 1000));
      }
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line.slice(0, MAX_LINE));
      if (rest.length > MAX_LINE) {
        onLine(rest.slice(0, MAX_LINE));
        rest = '';
      }
    });
    stream.on('error', () => undefined);
    stream.on('close', () => resolve());
  });
}
