import { SandboxError } from './cells/index.ts';
import { backup, CommandError, examples, restore, serve, USAGE, UsageError, user } from './cli/index.ts';
import { ConfigError } from './config.ts';
import { FolderInUseError } from './storage/index.ts';

/** argv -> one command. */
const [command, ...args] = process.argv.slice(2);
const commands: Record<string, () => Promise<void>> = {
  serve: () => serve(process.env),
  user: () => user(process.env, args),
  examples: () => examples(args),
  backup: () => backup(process.env, args),
  restore: () => restore(process.env, args),
};

try {
  const run = commands[command ?? ''];
  if (!run) throw new UsageError(USAGE);
  await run();
} catch (error) {
  const expected = [CommandError, ConfigError, FolderInUseError, SandboxError, UsageError];
  console.error(expected.some((kind) => error instanceof kind) ? (error as Error).message : error);
  process.exit(error instanceof UsageError ? 2 : 1);
}
