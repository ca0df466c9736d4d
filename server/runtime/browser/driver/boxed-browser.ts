import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { INFO_FD, type Launch, parseInnerPid, readDescriptor, spawnBoxed } from '../../workerd/index.ts';
import { CONTROL_FD } from '../box.ts';
import { type Params, Pipe } from './pipe.ts';

const BRIDGE_FD = 3;
const MAX_OUTPUT = 4_096;
/** The bridge listens for the egress and for our own site. */
const DOORS = 2;

/** Errors, the bridge, bwrap's own two, and the control connection. */
const STDIO: Array<'ignore' | 'pipe'> = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ignore', 'pipe'];

/** A browser in its box. */
export class BoxedBrowser {
  readonly pipe: Pipe;
  /** Resolves with the id of the first process in the box. */
  readonly pid: Promise<number>;
  /** Resolves when requests can leave the box. */
  readonly isConnected: Promise<void>;
  readonly exited: Promise<void>;
  /** The end of what the browser printed, for the log. */
  output = '';
  private readonly child: ChildProcess;
  private readonly control: Duplex;
  private innerPid = 0;

  constructor(
    launch: Launch,
    onEvent: (method: string, params: Params, session: string | undefined) => void,
  ) {
    this.child = spawnBoxed(launch, { stdio: STDIO, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
    const { child } = this;
    this.exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.output = (this.output + chunk.toString()).slice(-MAX_OUTPUT);
    });
    this.pid = this.untilText(INFO_FD, (text) => {
      this.innerPid = parseInnerPid(text);
      return this.innerPid || undefined;
    });
    this.isConnected = this.untilText(BRIDGE_FD, (text) =>
      text.split('"listen"').length > DOORS ? true : undefined,
    ).then(() => undefined);
    this.control = (child.stdio as unknown as Duplex[])[CONTROL_FD] as Duplex;
    this.pipe = new Pipe(this.control, onEvent);
    void this.exited.then(() => this.pipe.end());
  }

  /** Lets the processes in the box start. */
  start(): void {
    this.control.write('\n');
  }

  kill(): void {
    // The first process of the box takes all others with it.
    if (this.innerPid) trySignal(this.innerPid);
    this.child.kill('SIGKILL');
  }

  private untilText<Value>(fd: number, find: (text: string) => Value | undefined): Promise<Value> {
    const found = new Promise<Value>((resolve, reject) => {
      readDescriptor(this.child, fd, (text) => {
        const value = find(text);
        if (value !== undefined) resolve(value);
      });
      void this.exited.then(() => reject(new Error(`the browser has ended: ${this.output}`)));
    });
    // Not every caller waits for this promise.
    found.catch(() => undefined);
    return found;
  }
}

function trySignal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
