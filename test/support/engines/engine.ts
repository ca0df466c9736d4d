import { environment } from '../environment.ts';
import { descendants, isStopped, watchSurvivors } from '../faults/process.ts';

/** A program that the service depends on, which can be frozen, killed and started again. */
export interface Engine {
  /** Stops it and its children with a signal: it neither responds nor disconnects. */
  freeze(): void;
  /** Continues a frozen program. */
  thaw(): void;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again at the same place with the same arguments. Resolves when it responds. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What it has printed. */
  output(): string;
}

/** Where an engine runs. */
export interface EngineHost {
  /** Contains its data. */
  folder: string;
  host: string;
  port: number;
  /** A command prefix that runs a program there. */
  within?: string[];
}

interface EngineOptions {
  name: string;
  command: string[];
  env?: Record<string, string>;
  isReady(): Promise<boolean>;
  /** How to kill it. A program with children that would survive ends them itself. */
  signal?: NodeJS.Signals;
}

const START_MS = 60_000;
const LOOK_AGAIN_MS = 20;

export async function startEngine(options: EngineOptions): Promise<Engine> {
  let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined;
  let output = '';

  async function start(): Promise<void> {
    const started = Bun.spawn([...endWithParent(), ...options.command], {
      env: { ...environment, ...options.env },
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
    const family = listFamily(child.pid);
    const survivors = watchSurvivors(family);
    child.kill(options.signal ?? 'SIGKILL');
    // A frozen process only reacts to SIGKILL and SIGCONT.
    for (const pid of family) signal(pid, 'SIGCONT');
    await child.exited;
    while (survivors().length > 0) await Bun.sleep(LOOK_AGAIN_MS);
    child = undefined;
  }

  function signalAll(name: NodeJS.Signals): number[] {
    if (!child) throw new Error(`${options.name} is not running`);
    const family = listFamily(child.pid);
    for (const pid of family) signal(pid, name);
    return family;
  }

  await start();
  return {
    freeze() {
      // A signal takes a while on a busy machine, and meanwhile the program still responds.
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

const listFamily = (pid: number) => [pid, ...descendants(pid)];

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A command prefix that makes the kernel end the program if this process is killed. */
export function endWithParent(): string[] {
  return Bun.which('setpriv') ? ['setpriv', '--pdeathsig=KILL', '--'] : [];
}
