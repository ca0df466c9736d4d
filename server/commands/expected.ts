import { AppError } from '../lib/errors.ts';
import { ConfigError } from '../platform/config/index.ts';
import { FolderInUseError, NodeError, UnknownTablesError } from '../platform/storage/index.ts';
import { BackupSettingError } from '../product/backup/index.ts';
import { ClusterError } from '../runtime/databases/index.ts';
import { SandboxError } from '../runtime/workerd/index.ts';

/** True for an error of the server whose message is enough, without a stack trace. */
export function isExpected(error: unknown): error is Error {
  const kinds = [
    AppError,
    BackupSettingError,
    ClusterError,
    ConfigError,
    FolderInUseError,
    NodeError,
    SandboxError,
    UnknownTablesError,
  ];
  return kinds.some((kind) => error instanceof kind);
}
