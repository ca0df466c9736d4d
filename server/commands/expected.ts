import { AppError } from '../lib/errors.ts';
import { ConfigError } from '../platform/config/index.ts';
import { ClusterError } from '../platform/databases/index.ts';
import { FolderInUseError, NodeError, UnknownTablesError } from '../platform/storage/index.ts';
import { SandboxError } from '../platform/workerd/index.ts';

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
