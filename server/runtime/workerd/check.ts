import type { Sandbox } from './box/sandbox.ts';
import { createRuntime, findWorkerd } from './runtime.ts';

/** Checks whether workerd runs on this machine and how well it can be sandboxed. Throws if it cannot run. */
export async function checkRuntime(
  sandbox: 'auto' | 'require' | 'off',
): Promise<{ version: string; levels: Sandbox['levels'] }> {
  const { stdout, success } = Bun.spawnSync([findWorkerd(), '--version']);
  if (!success) throw new Error('workerd does not run on this machine.');
  // Uses its own folder, because a server may be running on the same data.
  const runtime = await createRuntime(`check ${process.pid} ${performance.now()}`, sandbox);
  runtime.stop();
  return { version: stdout.toString().trim(), levels: runtime.sandbox.levels };
}
