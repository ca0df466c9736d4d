import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../environment.ts';

const ROOT = join(import.meta.dir, '../../..');
const MAIN = join(ROOT, 'bin/launch.ts');
const TIMEOUT_MS = 120_000;

interface RunOptions {
  stdin?: string;
  env?: Record<string, string | undefined>;
  /** For a command that starts long work of others. */
  timeoutMs?: number;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: the output of any command, of any shape
  json(): any;
}

/** A command that is still running. */
export interface Running {
  /** Waits until standard output or standard error contains a match. */
  until(what: RegExp, on?: 'stdout' | 'stderr'): Promise<string>;
  /** Presses Ctrl-C and waits for the end. */
  interrupt(): Promise<Ended>;
}

/** A user in a shell: a folder to work in, and a home that stores their login. */
export interface Shell {
  folder: string;
  home: string;
  env: Record<string, string | undefined>;
  run(args: string[], options?: RunOptions): Promise<Ended>;
  /** Runs with --json and parses the output. */
  // biome-ignore lint/suspicious/noExplicitAny: the output of any command, of any shape
  json(args: string[], options?: RunOptions): Promise<any>;
  start(args: string[]): Running;
  /** Runs on a terminal, and answers each prompt when it appears. */
  onTerminal(
    args: string[],
    answers?: Array<[prompt: string, answer: string]>,
    env?: Record<string, string>,
  ): Promise<{ code: number; seen: string }>;
  /** Ends running commands, and removes the folders. */
  stop(): Promise<void>;
}

export function openShell(env: Record<string, string | undefined> = {}): Shell {
  const base = mkdtempSync(join(tmpdir(), 'quire-shell-'));
  const [folder, home] = [join(base, 'work'), join(base, 'home')];
  Bun.spawnSync(['mkdir', folder, home]);
  const own = { ...environment, HOME: home, ...env };
  const children = new Set<Bun.Subprocess>();

  function spawn(args: string[], options: RunOptions = {}) {
    const child = Bun.spawn([process.execPath, MAIN, ...args], {
      cwd: folder,
      env: { ...own, ...options.env },
      stdin: options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin),
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    children.add(child);
    void child.exited.then(() => children.delete(child));
    return child;
  }

  async function run(args: string[], options?: RunOptions): Promise<Ended> {
    const child = spawn(args, options);
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return ended(await child.exited, stdout, stderr);
  }

  return {
    folder,
    home,
    env: own,
    run,
    async json(args, options) {
      const done = await run([...args, '--json'], options);
      if (done.code !== 0) throw new Error(`quire ${args.join(' ')} ended with ${done.code}: ${done.stderr}`);
      return done.json();
    },
    start(args) {
      const child = spawn(args);
      const output = { stdout: '', stderr: '' };
      const waiting = new Set<() => void>();
      const listen = async (name: 'stdout' | 'stderr') => {
        for await (const chunk of child[name]) {
          output[name] += Buffer.from(chunk).toString();
          for (const look of [...waiting]) look();
        }
      };
      const listening = Promise.all([listen('stdout'), listen('stderr')]);
      return {
        until: (what, on = 'stdout') =>
          new Promise((resolve, reject) => {
            const look = () => {
              if (!what.test(output[on])) return;
              waiting.delete(look);
              resolve(output[on]);
            };
            waiting.add(look);
            look();
            void child.exited.then((code) =>
              reject(new Error(`ended with ${code} before ${what}: ${output.stdout}${output.stderr}`)),
            );
          }),
        async interrupt() {
          child.kill('SIGINT');
          const code = await child.exited;
          await listening;
          return ended(code, output.stdout, output.stderr);
        },
      };
    },
    async onTerminal(args, answers = [], env = {}) {
      let seen = '';
      let from = 0;
      const left = [...answers];
      const closed = Promise.withResolvers<void>();
      const child = Bun.spawn([process.execPath, MAIN, ...args], {
        cwd: folder,
        env: { ...own, TERM: 'xterm', ...env },
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        terminal: {
          cols: 120,
          rows: 40,
          data(terminal, bytes) {
            seen += Buffer.from(bytes).toString();
            const [next] = left;
            if (!next || !seen.includes(next[0], from)) return;
            from = seen.length;
            left.shift();
            terminal.write(next[1]);
          },
          // The last output may arrive after the command has ended.
          exit: () => closed.resolve(),
        },
      });
      children.add(child);
      const code = await child.exited;
      children.delete(child);
      await closed.promise;
      child.terminal?.close();
      return { code, seen };
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all([...children].map((child) => child.exited));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function ended(code: number, stdout: string, stderr: string): Ended {
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}
