import { NOBODY, type Runtime } from './runtime.ts';

/**
 * How owner code is kept in, from strongest to weakest: `bwrap` gives it no network, no files and a user of nobody;
 * `setpriv` only the user of nobody; `plain` nothing but a process of its own.
 */
export type SandboxLevel = 'bwrap' | 'setpriv' | 'plain';

/** Thrown when the machine cannot give what `QUIRE_SANDBOX=require` asks for. */
export class SandboxError extends Error {}

/** What a boxed process may see: paths outside, and where they appear to it. */
export interface View {
  readOnly: Array<[outside: string, inside: string]>;
  writable: Array<[outside: string, inside: string]>;
}

const DROP_USER = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
/** A child without bwrap must not outlive a server that is killed. */
const DIE_WITH_SERVER = ['--pdeathsig', 'KILL'];

/** Heap outside V8's reach (ArrayBuffers) counts here. Below 600 MB plain load sometimes ends a cell. */
const DATA_LIMIT_BYTES = 640 * 1024 * 1024;

/** The descriptor on which bwrap tells the id of the process inside. */
const INFO_FD = 4;

/** Finds the strongest level that works here, by trying each. */
export async function probeSandbox(
  runtime: Runtime,
  setting: 'auto' | 'require' | 'off',
): Promise<SandboxLevel> {
  if (setting === 'off') return 'plain';
  const nothing: View = { readOnly: [], writable: [] };
  const works = (level: SandboxLevel) =>
    succeeds(boxed(level, runtime, nothing, [runtime.binary, '--version'], false));
  if (await works('bwrap')) return 'bwrap';
  if (setting === 'require') {
    throw new SandboxError(
      'QUIRE_SANDBOX=require needs bubblewrap with user namespaces, and it does not work here. Install it (apt-get install bubblewrap), allow user namespaces, or set QUIRE_SANDBOX=auto.',
    );
  }
  return runtime.isRoot && (await works('setpriv')) ? 'setpriv' : 'plain';
}

/** The command that runs a program of owners in its box. */
export function boxed(
  level: SandboxLevel,
  runtime: Runtime,
  view: View,
  command: string[],
  hasInfoFd = true,
): string[] {
  const limits = ['prlimit', `--data=${DATA_LIMIT_BYTES}`, '--core=0', '--nofile=4096'];
  if (level === 'plain') return [...limits, 'setpriv', ...DIE_WITH_SERVER, ...command];
  if (level === 'setpriv') return [...limits, ...DROP_USER, ...DIE_WITH_SERVER, ...command];
  const libraries = runtime.libraries.map((path): [string, string] => [path, path]);
  const readOnly = [[runtime.binary, runtime.binary] as const, ...libraries, ...view.readOnly];
  return [
    ...limits,
    // Root's own `bwrap --uid` would map to root outside, so the user is dropped before the box is made.
    ...(runtime.isRoot ? DROP_USER : []),
    'bwrap',
    ...(hasInfoFd ? ['--info-fd', String(INFO_FD)] : []),
    ...[
      '--unshare-all',
      '--as-pid-1',
      '--die-with-parent',
      '--new-session',
      '--cap-drop',
      'ALL',
      '--clearenv',
    ],
    ...readOnly.flatMap(([outside, inside]) => ['--ro-bind', outside, inside]),
    ...view.writable.flatMap(([outside, inside]) => ['--bind', outside, inside]),
    ...['--dev-bind', '/dev/urandom', '/dev/urandom', '--chdir', '/'],
    ...command,
  ];
}

/** The command that runs a program of ours: nothing to keep in, but it must not outlive the server. */
export function attached(command: string[]): string[] {
  return ['setpriv', ...DIE_WITH_SERVER, ...command];
}

async function succeeds(command: string[]): Promise<boolean> {
  try {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', timeout: 5_000 });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}
