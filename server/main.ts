import { clientCommands, run } from '../cli/index.ts';
import { loadExpected, serverCommands } from './commands/index.ts';

/** Runs the command in argv. */

// The reader of our output may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const commands = [...serverCommands, ...clientCommands];
void run(commands, process.argv.slice(2), process.env, loadExpected).then((exitCode) => {
  // A successful command exits once its work is done, and `serve` keeps running. A failed one may leave handles open.
  if (exitCode !== 0) process.stdout.write('', () => process.exit(exitCode));
});
