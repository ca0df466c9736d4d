import { createRuntime, findWorkerd } from './runtime.ts';
import { probeSandbox, type SandboxLevel } from './sandbox.ts';

/** Whether workerd runs here, and how well it can be boxed in; throws when it cannot be run at all. */
export async function checkRuntime(
  sandbox: 'auto' | 'require' | 'off',
): Promise<{ version: string; level: SandboxLevel }> {
  const { stdout, success } = Bun.spawnSync([findWorkerd(), '--version']);
  if (!success) throw new Error('workerd does not run on this machine.');
  // A folder of its own: that of a server which runs on the same data must stay as it is.
  const runtime = createRuntime(`check ${process.pid} ${performance.now()}`);
  try {
    return { version: stdout.toString().trim(), level: await probeSandbox(runtime, sandbox) };
  } finally {
    runtime.stop();
  }
}
