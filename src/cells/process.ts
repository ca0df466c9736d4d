import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A workerd that is listening. */
export interface WorkerdProcess {
  /** The process that does the work, inside the box if there is one. */
  readonly pid: number;
  /** Resolves when it has ended, whoever ended it, to the signal that did. */
  exited: Promise<NodeJS.Signals | null>;
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
  ) {
    super(isTimeout ? 'workerd did not start in time' : `workerd did not start: ${output.slice(0, 2_000)}`);
  }
}

const CONTROL_FD = 3;
const MAX_KEPT_OUTPUT = 64 * 1024;

export const SERVE = ['serve', `--control-fd=${CONTROL_FD}`];

/**
 * Starts a workerd and waits until it listens on all its sockets. Readiness is what it says on the control descriptor:
 * its socket file is there before its module is loaded.
 */
export async function startWorkerd(options: {
  command: string[];
  sockets: number;
  /** True when the command is bwrap, which tells the id of the process inside it. */
  hasInfoFd: boolean;
  deadlineMs: number;
  /** Besides a plain PATH. */
  env?: Record<string, string>;
  /** Gets every line that the process prints once it runs. */
  onLine(line: string): void;
}): Promise<WorkerdProcess> {
  const [program = '', ...args] = options.command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', options.hasInfoFd ? 'pipe' : 'ignore'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...options.env },
  });
  let innerPid = 0;
  const kill = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // The process in the box must go first: killing bwrap alone takes a moment to reach it.
    if (innerPid) tryKill(innerPid);
    child.kill('SIGKILL');
  };
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal));
    child.once('error', () => resolve(null));
  });
  if (options.hasInfoFd) {
    readAll(child, 4, (text) => {
      innerPid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0);
    });
  }
  let output = '';
  const keep = (line: string) => {
    if (output.length < MAX_KEPT_OUTPUT) output += `${line}\n`;
  };
  let onLine = keep;
  const outputEnded = Promise.all([
    readLines(child.stdout, (line) => onLine(line)),
    readLines(child.stderr, (line) => onLine(line)),
  ]);

  let isTimeout = false;
  const deadline = setTimeout(() => {
    isTimeout = true;
    kill();
  }, options.deadlineMs);
  const listening = new Promise<boolean>((resolve) => {
    readAll(child, CONTROL_FD, (text) => {
      if (text.split('"listen"').length > options.sockets) resolve(true);
    });
    void exited.then(() => resolve(false));
  });
  const isListening = await listening;
  clearTimeout(deadline);
  if (!isListening) {
    await outputEnded;
    throw new StartError(output, isTimeout);
  }
  onLine = options.onLine;
  for (const line of output.split('\n').filter(Boolean)) onLine(line);
  return {
    // Asked for each time: bwrap may tell it a moment after workerd listens.
    get pid() {
      return innerPid || (child.pid ?? 0);
    },
    exited,
    kill,
    end: () => void child.kill('SIGTERM'),
  };
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
  }
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
