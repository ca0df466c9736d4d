/**
 * Makes sure that commands exist. As root on Debian it installs their packages; otherwise it throws with what to
 * install.
 */
export async function needCommands(packageOf: Record<string, string>): Promise<void> {
  const missing = Object.entries(packageOf).flatMap(([command, name]) => (Bun.which(command) ? [] : [name]));
  if (missing.length === 0) return;
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...new Set(missing)];
  if (process.getuid?.() !== 0 || !Bun.which('apt-get')) {
    throw new Error(`As root, run: apt-get update && ${install.join(' ')}`);
  }
  console.error(`Installing Debian packages that the benchmark needs: ${missing.join(' ')}`);
  await apt(['apt-get', 'update']);
  await apt(install);
}

async function apt(command: string[]): Promise<void> {
  // Another apt-get may be running: wait for its lock.
  const child = Bun.spawn([...command, '-qq', '-o', 'DPkg::Lock::Timeout=120'], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
}
