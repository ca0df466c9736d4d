import { once } from 'node:events';
import type { BoxUser, BoxUsers } from './box-users.ts';
import {
  type BoxKind,
  type Launch,
  launch,
  type Sandbox,
  SandboxError,
  type SandboxLevel,
} from './sandbox.ts';
import { spawnBoxed } from './spawn-boxed.ts';

type Extras = Pick<Sandbox, 'canForbidNamespaces' | 'filters'>;
const NO_EXTRAS: Extras = { canForbidNamespaces: false, filters: undefined };

interface Machine {
  filters: Sandbox['filters'];
  users: BoxUsers | undefined;
  isRoot: boolean;
  binary: string;
  libraries: string[];
  /** Creates an empty folder that the user of a box can access. */
  makeFolder(name: string, user: BoxUser | undefined): string;
}

const KINDS: BoxKind[] = ['functions', 'databases', 'egress'];

/** The boxes that have worked. One process may start many services, as tests do, and what works once works for all. */
const proven = new Set<string>();

/** Tries the levels to find the strongest one that works on this machine, for each kind of box. */
export async function probeSandbox(machine: Machine, setting: 'auto' | 'require' | 'off'): Promise<Sandbox> {
  const { users, isRoot, binary, libraries } = machine;
  const at = (level: SandboxLevel, extras: Extras = NO_EXTRAS): Sandbox => ({
    levels: { functions: level, databases: level, egress: level },
    users,
    binary,
    libraries,
    ...extras,
  });
  // If the server is root and has no user ids to assign, the boxed processes would run as root.
  if (setting === 'off' || (isRoot && !users)) {
    if (setting === 'require') throw new SandboxError(NO_USERS);
    return { ...at('plain'), users: undefined };
  }
  const user = users?.next();
  const folders = {
    folder: machine.makeFolder('probe-data', user),
    mountPoint: machine.makeFolder('probe-mount', user),
  };
  const works = async (sandbox: Sandbox, kind: BoxKind) => {
    const extras = [sandbox.canForbidNamespaces, sandbox.filters !== undefined];
    const name = JSON.stringify([kind, sandbox.levels[kind], ...extras, user !== undefined, libraries]);
    if (proven.has(name)) return true;
    const box = { kind, user, readOnly: [], writable: [], hasNetwork: kind === 'egress' };
    const data = kind === 'databases' ? { data: folders } : {};
    const isFine = await succeeds(launch(sandbox, { ...box, ...data }, ['--version']));
    if (isFine) proven.add(name);
    return isFine;
  };
  const { filters } = machine;
  // An old bwrap cannot forbid namespaces. An old or minimal kernel does not support filters.
  const wanted: Extras[] = [
    { canForbidNamespaces: true, filters },
    ...(filters && setting !== 'require' ? [{ canForbidNamespaces: true, filters: undefined }] : []),
    { canForbidNamespaces: false, filters },
    ...(filters && setting !== 'require' ? [NO_EXTRAS] : []),
  ];
  let boxed = at('bwrap', wanted.at(-1));
  let worksForFunctions = false;
  for (const extras of wanted) {
    worksForFunctions = await works(at('bwrap', extras), 'functions');
    if (!worksForFunctions) continue;
    boxed = at('bwrap', extras);
    break;
  }
  const tries = await Promise.all(
    KINDS.map((kind) => (kind === 'functions' ? worksForFunctions : works(boxed, kind))),
  );
  const failed = KINDS.filter((_, index) => !tries[index]);
  if (failed.length === 0) return boxed;
  if (setting === 'require') throw new SandboxError(noBox(failed));
  const weaker = isRoot && (await works(at('setpriv'), 'functions')) ? 'setpriv' : 'plain';
  for (const kind of failed) boxed.levels[kind] = weaker;
  const isPlain = KINDS.every((kind) => boxed.levels[kind] === 'plain');
  return isPlain ? { ...boxed, users: undefined } : boxed;
}

const NO_USERS =
  'QUIRE_SANDBOX=require needs user ids for its boxes, and all that Quire would use are taken in /etc/passwd or /etc/group, or missing in this user namespace. Run Quire as a user other than root, or set QUIRE_SANDBOX=auto.';

function noBox(failed: BoxKind[]): string {
  return `QUIRE_SANDBOX=require needs bubblewrap with user namespaces, and it does not work here for ${failed.join(', ')}. Install it (apt-get install bubblewrap), allow user namespaces, or set QUIRE_SANDBOX=auto.`;
}

async function succeeds(launch: Launch): Promise<boolean> {
  try {
    const child = spawnBoxed(launch, {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 5_000,
      killSignal: 'SIGKILL',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    return false;
  }
}
