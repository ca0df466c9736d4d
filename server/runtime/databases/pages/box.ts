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
const Outcome = z.union([
  z.object({
    report: z.object({
      pageBytes: z.int().min(512).max(65_536),
      pageCount: z.int().min(0),
      at: z.number(),
      position: z.object({ salts: z.string().max(16), frame: z.int(), checksum: Checksum }).optional(),
      pages: z.int().optional(),
      isFull: z.boolean().optional(),
      bytes: z.int().optional(),
      checksum: z.string().max(64).optional(),
    }),
  }),
  z.object({
    failure: z.object({ message: z.string(), code: z.string().optional(), isDamage: z.boolean() }),
  }),
]);

interface BoxedTask {
  runtime: Runtime;
  task: Task;
  /** The user that may read the folder. */
  user: BoxUser | undefined;
  /** The folder with the databases of one owner, which the task can read. Its path in the box is put before `file`. */
  folder?: string;
  /** The file that it reads, or what is sent to it. */
  input?: string | AsyncIterable<Uint8Array>;
  /** The files that it writes, which do not exist yet: what it makes, and the hashes of pages. */
  output: string;
  hashes?: string;
  /** Somebody waits for it. */
  isUrgent?: boolean | undefined;
  /** How long these may get. */
  maxBytes: number;
}

/**
 * Runs a task in a box that sees the databases of one owner and cannot change them. Owners can write what they like into
 * their databases, so nothing else opens them. What it makes goes to files of the server.
 */
export async function runTask(boxed: BoxedTask): Promise<Report> {
  const { runtime, user, input } = boxed;
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
        timeout: TASK_MS,
        killSignal: 'SIGKILL',
      },
    );
    const ended = readOutcome(child);
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

async function prepare(
  { runtime, user, task, folder, maxBytes }: BoxedTask,
  config: string,
  mountPoint: string,
) {
  const binary = runtime.shareProgram(process.execPath, 'bun');
  const sandbox = { ...runtime.sandbox, binary, libraries: findLibraries(process.execPath) };
  const level = sandbox.levels.databases;
  const code = await loadHelper(new URL('./pages.process.ts', import.meta.url));
  runtime.writeFile(join(config, 'pages.js'), code, user);
  const module = join(level === 'bwrap' ? '/config' : config, 'pages.js');
  const inBox =
    'file' in task && folder !== undefined
      ? { ...task, file: join(dataPath(level, folder), task.file) }
      : task;
  return launch(
    sandbox,
    {
      kind: 'databases',
      user,
      readOnly: [[config, '/config']],
      writable: [],
      ...(folder !== undefined && { data: { folder, mountPoint, isReadOnly: true } }),
      hasSystemFiles: true,
      maxFileBytes: maxBytes,
    },
    [...helperArguments(module), JSON.stringify(inBox)],
  );
}

/** Waits until the process has ended, and reads its last line. */
async function readOutcome(child: ReturnType<typeof spawnBoxed>): Promise<Report> {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_MESSAGE_BYTES);
  });
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(`${signal ?? code}`));
    // A process that it has left behind can keep its output open.
    child.once('exit', (code, signal) => setTimeout(() => resolve(`${signal ?? code}`), OUTPUT_MS).unref());
  });
  const at = output.lastIndexOf(OUTCOME_MARK);
  if (at < 0) {
    if (ended === 'SIGXFSZ') throw new Error('a copy of a database is larger than it can be');
    throw new Error(`the process that copies databases ended (${ended}): ${output.slice(-2_000)}`);
  }
  const outcome = Outcome.parse(JSON.parse(output.slice(at + OUTCOME_MARK.length)));
  if ('report' in outcome) return outcome.report;
  const { message, code, isDamage } = outcome.failure;
  if (isDamage) throw new UnreadableDatabaseError(message);
  throw Object.assign(new Error(message), { code });
}
