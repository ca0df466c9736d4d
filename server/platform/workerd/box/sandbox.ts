import type { BoxUser, BoxUsers } from './box-users.ts';

/**
 * How a process is kept in, from strongest to weakest: `bwrap` gives it a user and namespaces of its own, no files but
 * those it needs and a filter of system calls; `setpriv` only the user; `plain` nothing but a process of its own.
 */
export type SandboxLevel = 'bwrap' | 'setpriv' | 'plain';

/** What runs in boxes: owner code, the hosts of databases, and the way out. */
export type BoxKind = 'functions' | 'databases' | 'egress';

/** Thrown when the machine cannot give what `QUIRE_SANDBOX=require` asks for. */
export class SandboxError extends Error {}

type Bind = [outside: string, inside: string];

/** What a boxed process may see and do. */
export interface Box {
  kind: BoxKind;
  /** Undefined when the server is not root: then the process has the server's own user. */
  user: BoxUser | undefined;
  readOnly: Bind[];
  writable: Bind[];
  /** A folder to write in, seen as `/data`. `mountPoint` is an empty folder that the user can get to. */
  data?: { folder: string; mountPoint: string };
  /** How large `/tmp` is; it is in memory. Undefined for none. */
  tempBytes?: number | undefined;
  hasNetwork?: boolean;
  /** How many files and connections it may have open; as many as the server when not given. */
  maxDescriptors?: number | undefined;
  /** Only for what must not be on a command line, where everybody can read it. */
  keepsEnvironment?: boolean;
}

/** A command that runs a process in its box. */
export interface Launch {
  command: string[];
  /** Where it starts; undefined for anywhere. */
  cwd: string | undefined;
  /** True when bwrap tells the id of the process inside. */
  hasInfoFd: boolean;
  /** A file for bwrap to read from its descriptor: the filter of system calls. */
  filter: string | undefined;
}

/** How boxes are made on this machine. */
export interface Sandbox {
  levels: Record<BoxKind, SandboxLevel>;
  /** Undefined when processes have the server's own user. */
  users: BoxUsers | undefined;
  /** Shown to every box. */
  binary: string;
  libraries: string[];
  /** Whether bwrap can forbid namespaces inside the box. */
  canForbidNamespaces: boolean;
  /** Files with the filters of system calls; undefined where there are none. */
  filters: { local: string; network: string } | undefined;
}

/** A child without bwrap must not outlive a server that is killed. */
const DIE_WITH_SERVER = ['--pdeathsig', 'KILL'];

/** Where memory runs out on the whole machine, owner code goes first. */
const FIRST_TO_GO = ['choom', '-n', '1000', '--'];

/** Where a box has its program. Wherever that lies outside, what else the box has cannot cover it. */
const PROGRAM = '/program';

/** The descriptor on which bwrap tells the id of the process inside. */
export const INFO_FD = 4;
/** The one from which it reads the filter of system calls. */
export const FILTER_FD = 5;

/**
 * The user of a box cannot get to the data folder, which is closed to all but root. So root mounts it where that user
 * can, in a mount namespace that only this box sees.
 */
const MOUNT = ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c'];
const MOUNT_SCRIPT = 'mount --bind -- "$1" "$2" && shift 2 && exec "$@"';

/** The command that runs the sandbox's program in a box, with these arguments. */
export function launch(sandbox: Sandbox, box: Box, args: string[], hasInfoFd = true): Launch {
  const level = sandbox.levels[box.kind];
  const drop = level === 'plain' ? [] : dropUser(box.user);
  if (level !== 'bwrap') {
    const command = [...limits(box), 'setpriv', ...drop, ...DIE_WITH_SERVER, sandbox.binary, ...args];
    // By its place, since the user cannot get there by its name.
    return { command, cwd: box.data?.folder, hasInfoFd: false, filter: undefined };
  }
  const filter = sandbox.filters?.[box.hasNetwork ? 'network' : 'local'];
  const data = box.data && (box.user ? box.data.mountPoint : box.data.folder);
  const command = [
    ...(box.data && box.user ? [...MOUNT, MOUNT_SCRIPT, 'quire', box.data.folder, box.data.mountPoint] : []),
    ...limits(box),
    // Root's own `bwrap --uid` would map to root outside, so the user is dropped before the box is made.
    ...(box.user ? ['setpriv', ...drop] : []),
    'bwrap',
    ...(hasInfoFd ? ['--info-fd', String(INFO_FD)] : []),
    ...['--unshare-all', ...(box.hasNetwork ? ['--share-net'] : [])],
    ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
    ...(sandbox.canForbidNamespaces ? ['--unshare-user', '--disable-userns'] : []),
    ...['--as-pid-1', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...(box.keepsEnvironment ? [] : ['--clearenv']),
    ...['--ro-bind', sandbox.binary, PROGRAM],
    ...sandbox.libraries.flatMap((path) => ['--ro-bind', path, path]),
    ...box.readOnly.flatMap((bind) => ['--ro-bind', ...bind]),
    ...box.writable.flatMap((bind) => ['--bind', ...bind]),
    ...(data === undefined ? [] : ['--bind', data, '/data']),
    ...(box.tempBytes === undefined ? [] : ['--size', String(box.tempBytes), '--tmpfs', '/tmp']),
    ...['--dev-bind', '/dev/urandom', '/dev/urandom', '--chdir', '/'],
    ...[PROGRAM, ...args],
  ];
  return { command, cwd: undefined, hasInfoFd, filter };
}

/** Where a process finds its data folder. */
export function dataPath(level: SandboxLevel, folder: string): string {
  return { bwrap: '/data', setpriv: '.', plain: folder }[level];
}

/** Only owner code can be made to ask for more than it needs. */
function limits({ kind, maxDescriptors }: Box): string[] {
  const descriptors = maxDescriptors === undefined ? [] : [`--nofile=${maxDescriptors}`];
  if (kind !== 'functions') return ['prlimit', '--core=0', ...descriptors];
  return [...FIRST_TO_GO, 'prlimit', '--core=0', ...descriptors];
}

function dropUser(user: BoxUser | undefined): string[] {
  if (!user) return [];
  const groups = user.groups.length > 0 ? `--groups=${user.groups.join(',')}` : '--clear-groups';
  return [`--reuid=${user.id}`, `--regid=${user.id}`, groups];
}
