import { lchownSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import type { Call } from '../../../cli/command.ts';
import { CommandError } from '../../../cli/usage.ts';

/** Ends the command with this process, so that nothing works on the data after a kill -9. */
const LEASH = ['setpriv', '--pdeathsig=KILL'];

/**
 * Creates a folder that the owner of the data can write to. If they have put a link there, root must not give them what
 * it leads to.
 */
export function makeFolder(path: string, dataFolder: string): void {
  const { uid, gid } = statSync(dataFolder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory())
    throw new CommandError(`${path} is a link. Remove it: it must be a folder.`);
}

/** Runs commands of an installed version on the data of the server, as the user who owns the data. */
export class Program {
  constructor(
    private readonly path: string,
    private readonly call: Call,
    private readonly dataFolder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs a command whose notes, progress and errors people see. Throws if it fails. */
  async run(args: string[], failure: string, environment: Record<string, string> = {}): Promise<void> {
    const quiet = this.call.flag('quiet') ? ['--quiet'] : [];
    const { code } = await this.start([...args, ...quiet], 'inherit', environment);
    if (code !== 0) throw new CommandError(failure);
  }

  /** The output of a command with `--json`; undefined if there is none. */
  async ask(args: string[]): Promise<unknown> {
    const { output } = await this.start([...args, '--json'], 'ignore');
    try {
      return JSON.parse(output);
    } catch {
      return undefined;
    }
  }

  private async start(args: string[], stderr: 'inherit' | 'ignore', environment = {}) {
    const child = Bun.spawn([...LEASH, ...this.asOwner(), '--', this.path, ...args], {
      env: { ...this.call.environment, ...environment },
      stdio: ['ignore', 'pipe', stderr],
    });
    const stop = () => child.kill('SIGTERM');
    this.signal.addEventListener('abort', stop);
    const [output, code] = await Promise.all([child.stdout.text(), child.exited]);
    this.signal.removeEventListener('abort', stop);
    if (this.signal.aborted) throw new CommandError('Stopped.', 130);
    return { output, code };
  }

  /** Runs a command as the owner of the data: the server could not read what root writes. */
  private asOwner(): string[] {
    const { uid, gid } = statSync(this.dataFolder);
    if (process.getuid?.() !== 0 || uid === 0) return [];
    return [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  }
}
