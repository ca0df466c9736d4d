/**
 * How owner code is kept in, from strongest to weakest: `bwrap` gives it no network, no files and a user of nobody;
 * `setpriv` only the user of nobody; `plain` nothing but a process of its own.
 */
export type SandboxLevel = 'bwrap' | 'setpriv' | 'plain';

const DROP_TO_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const BWRAP = [
  'bwrap',
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--ro-bind',
  '/',
  '/',
];

/** Finds the strongest level that works here, by trying each. */
export async function probeSandbox(setting: 'auto' | 'require' | 'off'): Promise<SandboxLevel> {
  if (setting === 'off') return 'plain';
  const isRoot = process.getuid?.() === 0;
  const dropRoot = isRoot ? DROP_TO_NOBODY : [];
  if (await works([...dropRoot, ...BWRAP, 'true'])) return 'bwrap';
  return isRoot && (await works([...DROP_TO_NOBODY, 'true'])) ? 'setpriv' : 'plain';
}

async function works(command: string[]): Promise<boolean> {
  try {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', timeout: 5_000 });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}
