import { SandboxError } from '../cells/index.ts';
import { ConfigError } from '../config.ts';
import { AppError } from '../http/index.ts';
import { FolderInUseError } from '../storage/index.ts';

/** Whether an error of the service is one that its message alone explains. */
export function isExpected(error: unknown): error is Error {
  return [AppError, ConfigError, FolderInUseError, SandboxError].some((kind) => error instanceof kind);
}
