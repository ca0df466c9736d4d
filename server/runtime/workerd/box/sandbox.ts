import type { BoxUser, BoxUsers } from './box-users.ts';

/**
 * How a process is isolated, from strongest to weakest: `bwrap` gives it its own user and namespaces, only the files it
 * needs and a system call filter; `setpriv` gives it only its own user; `plain` gives it only its own process.
 */
export type SandboxLevel = 'bwrap' | 'setpriv' | 'plain';

/** What runs in boxes: owner code (also browsers that open owners' pages), database hosts and the egress. */
export type BoxKind = 'functions' | 'databases' | 'egress';

/** Thrown when the machine cannot provide what `QUIRE_SANDBOX=require` asks for. */
export class SandboxError extends Error {}

type Bind = [outside: string, inside: string];

/** What a boxed process may see and do. */
export interface Box {
  kind: BoxKind;
  /** Undefined if the server is not root. The process then runs as the server's user. */
  user: BoxUser | undefined;
  readOnly: Bind[];
  writable: Bind[];
  /** A folder, mounted as `/data`, writable unless it says so. `mountPoint` is an empty folder that the user can access. */
  data?: { folder: string; mountPoint: string; isReadOnly?: boolean };
  /** The size of `/tmp`, which is in memory. Undefined for no `/tmp`. */
  tempBytes?: number | undefined;
  hasNetwork?: boolean;
  /** True if the processes may connect to each other, in a network of their own with nothing else in it. */
  hasLoopback?: boolean;
  /** True for `/proc` and the usual devices. */
  hasSystemFiles?: boolean;
  /** The program to run, by its path in the box. Default: workerd. */
  program?: string;
  /** The working directory in the box. Default: its root. */
  cwd?: string;
  /** How much memory each of its processes may get for data. */
  maxDataBytes?: number;
  /** How long a file that it writes may get. */
  maxFileBytes?: number;
  /** How many processes and threads it may have. Applies only if it has its own user. */
  maxProcesses?: number;
  /** How many files and connections it may have open. Default: as many as the server. */
  maxDescriptors?: number | undefined;
  /** Passes the environment on, for values that must not be on a command line, which every user can read. */
  keepsEnvironment?: boolean;
}

/** A command that runs a process in its box. */
export interface Launch {
  command: string[];
  /** The working directory. Undefined for any. */
  cwd: string | undefined;
  /** True if bwrap reports the id of the process inside. */
  hasInfoFd: boolean;
  /** The file with the system call filter, which bwrap reads from its descriptor. */
  filter: string | undefined;
}

/** How boxes are created on this machine. */
export interface Sandbox {
  levels: Record<BoxKind, SandboxLevel>;
  /** Undefined if processes run as the server's user. */
  users: BoxUsers | undefined;
  /** The program that every box runs. */
  binary: string;
  libraries: string[];
  /** True if bwrap can forbid namespaces inside the box. */
  canForbidNamespaces: boolean;
  /** Files with the system call filters. Undefined if filters are not supported. */
  filters: { local: string; network: string } | undefined;
}

/** Without bwrap, a child must not outlive a killed server. */
const DIE_WITH_SERVER = ['--pdeathsig', 'KILL'];

/** If the whole machine runs out of memory, the kernel kills owner code first. */
const FIRST_TO_GO = ['choom', '-n', '1000', '--'];

/** The path of workerd in a box. It is fixed, so that no other mount of the box can hide it. */
export const PROGRAM = '/program';

const DEVICES = ['/dev/null', '/dev/zero'].flatMap((path) => ['--dev-bind', path, path]);

/** The descriptor on which bwrap reports the id of the process inside. */
export const INFO_FD = 4;
/** The descriptor from which bwrap reads the system call filter. */
export const FILTER_FD = 5;

/**
 * Only root can access the data folder. So root mounts it where the user of the box can access it, in a mount namespace
 * that only this box sees.
 */
const MOUNT = ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c'];
const MOUNT_SCRIPT = 'mount --bind -- "$1" "$2" && shift 2 && exec "$@"';

/** Returns the command that runs the sandbox's program in a box with these arguments. */
export function launch(sandbox: Sandbox, box: Box, args: string[]): Launch {
  const level = sandbox.levels[box.kind];
  const drop = level === 'plain' ? [] : dropUser(box.user);
  if (level !== 'bwrap') {
    const command = [...limits(box), 'setpriv', ...drop, ...DIE_WITH_SERVER, sandbox.binary, ...args];
    // The data folder is the working directory, because the user cannot open it by its path.
    return { command, cwd: box.data?.folder, hasInfoFd: false, filter: undefined };
  }
  const filter = sandbox.filters?.[box.hasNetwork || box.hasLoopback ? 'network' : 'local'];
  const data = box.data && (box.user ? box.data.mountPoint : box.data.folder);
  const command = [
    ...(box.data && box.user ? [...MOUNT, MOUNT_SCRIPT, 'quire', box.data.folder, box.data.mountPoint] : []),
    ...limits(box),
    // `bwrap --uid` run by root would map to root outside, so `setpriv` changes the user before the box is created.
    ...(box.user ? ['setpriv', ...drop] : []),
    'bwrap',
    ...['--info-fd', String(INFO_FD)],
    // All namespaces but that of control groups, which no box sees: systemd can then forbid it to the whole service.
    ...['--unshare-user-try', '--unshare-ipc', '--unshare-pid', '--unshare-uts'],
    ...(box.hasNetwork ? [] : ['--unshare-net']),
    ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
    ...(sandbox.canForbidNamespaces ? ['--unshare-user', '--disable-userns'] : []),
    ...['--as-pid-1', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...(box.keepsEnvironment ? [] : ['--clearenv']),
    ...['--ro-bind', sandbox.binary, PROGRAM],
    ...sandbox.libraries.flatMap((path) => ['--ro-bind', path, path]),
    ...box.readOnly.flatMap((bind) => ['--ro-bind', ...bind]),
    ...box.writable.flatMap((bind) => ['--bind', ...bind]),
    ...(data === undefined ? [] : [box.data?.isReadOnly ? '--ro-bind' : '--bind', data, '/data']),
    ...(box.tempBytes === undefined ? [] : ['--size', String(box.tempBytes), '--tmpfs', '/tmp']),
    ...(box.hasSystemFiles ? ['--proc', '/proc', ...DEVICES] : []),
    ...['--dev-bind', '/dev/urandom', '/dev/urandom', '--chdir', box.cwd ?? '/'],
    // What the process writes to the root would be in memory, without a limit.
    ...(box.hasSystemFiles ? ['--remount-ro', '/'] : []),
    ...[box.program ?? PROGRAM, ...args],
  ];
  return { command, cwd: undefined, hasInfoFd: true, filter };
}

/** The path of the data folder as the process sees it. */
export function dataPath(level: SandboxLevel, folder: string): string {
  return { bwrap: '/data', setpriv: '/proc/self/cwd', plain: folder }[level];
}

/** Only owner code and owners' pages can use more memory than it should, so only functions are marked to be killed first. */
function limits({ kind, user, maxDescriptors, maxDataBytes, maxFileBytes, maxProcesses }: Box): string[] {
  const bounds = [
    ...(maxDescriptors === undefined ? [] : [`--nofile=${maxDescriptors}`]),
    ...(maxDataBytes === undefined ? [] : [`--data=${maxDataBytes}`]),
    ...(maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`]),
    ...(user === undefined || maxProcesses === undefined ? [] : [`--nproc=${maxProcesses}`]),
  ];
  if (kind !== 'functions') return ['prlimit', '--core=0', ...bounds];
  return [...FIRST_TO_GO, 'prlimit', '--core=0', ...bounds];
}

function dropUser(user: BoxUser | undefined): string[] {
  if (!user) return [];
  const groups = user.groups.length > 0 ? `--groups=${user.groups.join(',')}` : '--clear-groups';
  return [`--reuid=${user.id}`, `--regid=${user.id}`, groups];
}
