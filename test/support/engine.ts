import { descendants, isRunning, isStopped } from './fault-process.ts';

/** A program that others lean on, which can be frozen, ended in the hard way and started again. */
export interface Engine {
  /** Takes it from the processor, with all that it started: it neither answers nor hangs up. */
  freeze(): void;
  /** Lets it go on where it was. */
  thaw(): void;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Starts it again where and as it was; resolves when it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What it has printed. */
  output(): string;
}

/** Where an engine runs. */
export interface Place {
  /** What it keeps is below it. */
  folder: string;
  host: string;
  port: number;
  /** The start of a command that runs there. */
  within?: string[];
}

interface EngineOptions {
  name: string;
  command: string[];
  env?: Record<string, string>;
  isReady(): Promise<boolean>;
  /** How it is ended at once; a program whose children would outlive it is asked to end them. */
  signal?: NodeJS.Signals;
}

const START_MS = 60_000;
const LOOK_AGAIN_MS = 20;

export async function startEngine(options: EngineOptions): Promise<Engine> {
  let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined;
  let output = '';

  async function start(): Promise<void> {
    const started = Bun.spawn([...leash(), ...options.command], {
      env: { PATH: process.env.PATH, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) void collect(stream);
    const deadline = Date.now() + START_MS;
    while (!(await options.isReady().catch(() => false))) {
      if (started.exitCode !== null || Date.now() > deadline) {
        await kill();
        throw new Error(`${options.name} did not start:\n${output.slice(-2000)}`);
      }
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  async function collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) output += Buffer.from(chunk).toString();
  }

  async function kill(): Promise<void> {
    if (!child) return;
    const family = familyOf(child.pid);
    child.kill(options.signal ?? 'SIGKILL');
    // A frozen process gets signals, but cannot hear those that leave it a say.
    for (const pid of family) signal(pid, 'SIGCONT');
    await child.exited;
    while (family.some(isRunning)) await Bun.sleep(LOOK_AGAIN_MS);
    child = undefined;
  }

  function signalAll(name: NodeJS.Signals): number[] {
    if (!child) throw new Error(`${options.name} is not running`);
    const family = familyOf(child.pid);
    for (const pid of family) signal(pid, name);
    return family;
  }

  await start();
  return {
    freeze() {
      // A signal takes its time on a busy machine, and meanwhile the program responds.
      const family = signalAll('SIGSTOP');
      while (!family.every(isStopped)) Bun.sleepSync(1);
    },
    thaw: () => void signalAll('SIGCONT'),
    kill,
    start,
    stop: kill,
    output: () => output,
  };
}

const familyOf = (pid: number) => [pid, ...descendants(pid)];

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The start of a command that the kernel ends should this process be killed. */
export function leash(): string[] {
  return Bun.which('setpriv') ? ['setpriv', '--pdeathsig=KILL', '--'] : [];
}
