import type { Sandbox } from './box/sandbox.ts';
import { createRuntime, findWorkerd } from './runtime.ts';

/** Whether workerd runs here, and how well it can be boxed in; throws when it cannot be run at all. */
export async function checkRuntime(
  sandbox: 'auto' | 'require' | 'off',
): Promise<{ version: string; levels: Sandbox['levels'] }> {
  const { stdout, success } = Bun.spawnSync([findWorkerd(), '--version']);
  if (!success) throw new Error('workerd does not run on this machine.');
  // A folder of its own: that of a server which runs on the same data must stay as it is.
  const runtime = await createRuntime(`check ${process.pid} ${performance.now()}`, sandbox);
  runtime.stop();
  return { version: stdout.toString().trim(), levels: runtime.sandbox.levels };
}
