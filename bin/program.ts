import { HELPER } from '../server/lib/modules.ts';

/** The start of the compiled program: runs a command, or one of our modules as a helper process. */

/** As in scripts/ensure-installed.sh. Bun reads it before it runs any code, so the process replaces itself. */
const MAX_FETCHES = 'BUN_CONFIG_MAX_HTTP_REQUESTS';

const [, , first, module = ''] = process.argv;
if (first === HELPER) {
  // As if Bun had been started with the module.
  process.argv.splice(1, 2);
  void import(module);
} else if (process.argv.includes('serve') && process.execve && !process.env[MAX_FETCHES]) {
  const args = [process.execPath, ...process.argv.slice(2)];
  process.execve(process.execPath, args, { ...process.env, [MAX_FETCHES]: '65336' });
} else {
  void import('../server/main.ts');
}
