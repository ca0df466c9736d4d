/**
 * How large a database may be. A write that makes it larger is refused, wherever the database is. Who counts differs:
 * on one machine the host measures its files, in a cluster the server grants bytes.
 */
export interface Quota {
  /** The bytes that the database may have now; undefined until the first request. */
  readonly granted: number | undefined;
  /** Makes `granted` at least `bytes`, or throws. */
  request(bytes: number): Promise<void>;
  /** Records the size of the database after a write. */
  record(bytes: number): void;
}

/** Thrown when a write would exceed the owner's quota. The transaction around it is undone. */
export class QuotaError extends Error {
  constructor() {
    super(
      'This would exceed the quota of stored bytes. Delete something, or ask the administrator for more: SQLITE_FULL',
    );
  }
}
