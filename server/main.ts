import { clientCommands, run } from '../cli/index.ts';
import { loadExpected, serverCommands } from './commands/index.ts';

/** argv -> one command. */

// Whoever reads our output may have seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const commands = [...serverCommands, ...clientCommands];
const exitCode = await run(commands, process.argv.slice(2), process.env, loadExpected);
// A command that did its work ends by itself, and `serve` not at all; what a failed one left open is dropped.
if (exitCode !== 0) {
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(exitCode);
}
