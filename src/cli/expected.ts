import { ClusterError, SandboxError } from '../cells/index.ts';
import { ConfigError } from '../config.ts';
import { AppError } from '../http/index.ts';
import { FolderInUseError, NodeError, UnknownTablesError } from '../storage/index.ts';

/** Whether an error of the service is one that its message alone explains. */
export function isExpected(error: unknown): error is Error {
  const kinds = [
    AppError,
    ClusterError,
    ConfigError,
    FolderInUseError,
    NodeError,
    SandboxError,
    UnknownTablesError,
  ];
  return kinds.some((kind) => error instanceof kind);
}
