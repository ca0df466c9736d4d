import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { helperArguments, loadHelper } from '../../../lib/modules.ts';
import {
  type BoxUser,
  dataPath,
  findLibraries,
  launch,
  type Runtime,
  spawnBoxed,
} from '../../workerd/index.ts';
import { UnreadableDatabaseError } from '../unreadable.ts';
import { OUTCOME_MARK, type Report, type Task } from './tasks.ts';

/** Far longer than a large database takes. Its log cannot start over meanwhile. */
const TASK_MS = 10 * 60_000;
/** Copies that nobody waits for must not take processor time from calls. */
const NICE = ['nice', '-n', '10'];
/** Far longer than it takes to read what the process printed before it ended. */
const OUTPUT_MS = 5_000;
const MAX_MESSAGE_BYTES = 64 * 1024;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const Checksum = z.tuple([z.number(), z.number()]);
const PagesReport = z.object({
  pageBytes: z.int().min(512).max(65_536),
  pageCount: z.int().min(0),
  at: z.number(),
  position: z.object({ salts: z.string().max(16), frame: z.int(), checksum: Checksum }).optional(),
  pages: z.int().optional(),
  isFull: z.boolean().optional(),
  bytes: z.int().optional(),
  checksum: z.string().max(64).optional(),
});
const Failure = z.object({
  failure: z.object({ message: z.string(), code: z.string().optional(), isDamage: z.boolean() }),
});

interface BoxedFiles {
  runtime: Runtime;
  /** The user that may read the folder. */
  user: BoxUser | undefined;
  /** The folder with the databases of one owner. */
  folder?: string | undefined;
  /** The file that it reads, or what is sent to it. */
  input?: string | AsyncIterable<Uint8Array> | undefined;
  /** The files that it writes, which do not exist yet: what it makes, and the hashes of pages. */
  output?: string | undefined;
  hashes?: string | undefined;
  /** Somebody waits for it. */
  isUrgent?: boolean | undefined;
  /** How long these may get. */
  maxBytes: number;
}

interface BoxedTask extends BoxedFiles {
  /** It can read the folder, whose path in the box is put before `file`. */
  task: Task;
}

/** A program of ours that works on files of owners. */
export interface BoxedProgram<T> extends BoxedFiles {
  module: URL;
  /** What it is told, with the path of the folder in the box. */
  toTask(folder: string | undefined): unknown;
  report: z.ZodType<T>;
  limits?: {
    timeoutMs: number;
    memoryBytes: number;
    messageBytes: number;
    /** True if it may write to the folder, which then has only copies. */
    isWritable: boolean;
  };
}

/** Thrown if a process ended without saying why, with its signal or its code. */
export class EndedError extends Error {
  constructor(
    readonly ended: string,
    output: string,
  ) {
    super(`the process that reads databases ended (${ended}): ${output.slice(-2_000)}`);
  }
}

/**
 * Runs a task in a box that sees the databases of one owner and cannot change them. Owners can write what they like into
 * their databases, so nothing else opens them. What it makes goes to files of the server.
 */
export async function runTask({ task, ...files }: BoxedTask): Promise<Report> {
  try {
    return await runBoxed({
      ...files,
      module: new URL('./pages.process.ts', import.meta.url),
      toTask: (folder) =>
        'file' in task && folder !== undefined ? { ...task, file: join(folder, task.file) } : task,
      report: PagesReport,
    });
  } catch (error) {
    if (error instanceof EndedError && error.ended === 'SIGXFSZ')
      throw new Error('a copy of a database is larger than it can be', { cause: error });
    throw error;
  }
}

/** Runs a program in a box with the files of one owner, and returns what it reports. */
export async function runBoxed<T>(boxed: BoxedProgram<T>): Promise<T> {
  const { runtime, user, input, limits } = boxed;
  const name = `pages-${randomBytes(6).toString('hex')}`;
  const folders = [runtime.makeFolder(name, user), runtime.makeFolder(`${name}-data`, user)];
  const files: number[] = [];
  const open = (path: string | undefined, flags: string) => {
    if (path === undefined) return 'ignore';
    const file = openSync(path, flags, 0o600);
    files.push(file);
    return file;
  };
  try {
    const command = await prepare(boxed, folders[0] ?? '', folders[1] ?? '');
    const child = spawnBoxed(
      boxed.isUrgent ? command : { ...command, command: [...NICE, ...command.command] },
      {
        stdio: [
          typeof input === 'object' ? 'pipe' : open(input, 'r'),
          open(boxed.output, 'wx'),
          'pipe',
          open(boxed.hashes, 'wx'),
        ],
        env: { PATH },
        timeout: limits?.timeoutMs ?? TASK_MS,
        killSignal: 'SIGKILL',
      },
    );
    const ended = readOutcome(child, boxed);
    // Whoever fails to write to it does not wait for it.
    ended.catch(() => undefined);
    if (typeof input === 'object' && child.stdin)
      // A process that ends early says why. A source that fails ends the process.
      await pipeline(Readable.from(input), child.stdin).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
        child.kill('SIGKILL');
        throw error;
      });
    return await ended;
  } finally {
    for (const file of files) closeSync(file);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare<T>(
  { runtime, user, folder, maxBytes, module: program, toTask, limits }: BoxedProgram<T>,
  config: string,
  mountPoint: string,
) {
  const binary = runtime.shareProgram(process.execPath, 'bun');
  const sandbox = { ...runtime.sandbox, binary, libraries: findLibraries(process.execPath) };
  const level = sandbox.levels.databases;
  const code = await loadHelper(program);
  runtime.writeFile(join(config, 'program.js'), code, user);
  const module = join(level === 'bwrap' ? '/config' : config, 'program.js');
  const isReadOnly = !limits?.isWritable;
  return launch(
    sandbox,
    {
      kind: 'databases',
      user,
      readOnly: [[config, '/config']],
      writable: [],
      ...(folder !== undefined && { data: { folder, mountPoint, isReadOnly } }),
      hasSystemFiles: true,
      maxFileBytes: maxBytes,
      ...(limits && { maxDataBytes: limits.memoryBytes }),
    },
    [...helperArguments(module), JSON.stringify(toTask(folder && dataPath(level, folder)))],
  );
}

/** Waits until the process has ended, and reads its last line. */
async function readOutcome<T>(
  child: ReturnType<typeof spawnBoxed>,
  { report, limits }: BoxedProgram<T>,
): Promise<T> {
  const maxBytes = limits?.messageBytes ?? MAX_MESSAGE_BYTES;
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-maxBytes);
  });
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(`${signal ?? code}`));
    // A process that it has left behind can keep its output open.
    child.once('exit', (code, signal) => setTimeout(() => resolve(`${signal ?? code}`), OUTPUT_MS).unref());
  });
  const at = output.lastIndexOf(OUTCOME_MARK);
  if (at < 0) throw new EndedError(ended, output);
  const outcome = z
    .union([z.object({ report }), Failure])
    .parse(JSON.parse(output.slice(at + OUTCOME_MARK.length)));
  if ('report' in outcome) return outcome.report as T;
  const { message, code, isDamage } = outcome.failure;
  if (isDamage) throw new UnreadableDatabaseError(message);
  throw Object.assign(new Error(message), { code });
}
