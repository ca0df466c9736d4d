export interface TakenSnapshot {
  id: number;
  at: number;
  isNew: boolean;
  /** What it adds to the storage of its owner. */
  bytes: number;
  /** Set if it is an earlier one, because the database is not copied more often: it was like this then. */
  asOf?: number;
  /** Set with it: when the database will be copied again. */
  copiedAgainAt?: number;
}

export interface TakeOptions {
  /** Somebody waits for it: the database is copied now. */
  isUrgent?: boolean;
  /** Earlier snapshots do not count, because the database was replaced then. */
  notBefore?: number;
}

/** Keeps snapshots of databases: copies at one time, made of the pages that changed since the one before. */
export interface SnapshotKeeper {
  /**
   * Takes a snapshot, unless the database is as it was at the newest one. Writers do not wait for it on a single machine; in
   * a cluster they do, so that a database is copied once an hour unless it is urgent.
   */
  take(ownerId: number, databaseId: number, options?: TakeOptions): Promise<TakenSnapshot>;
  /**
   * Writes the database as it was into a folder that does not exist yet, as an archive has it:
   * `quire-database/<name>.sqlite`. An empty database has no file.
   */
  rebuild(snapshotId: number, to: string): Promise<void>;
  /**
   * Puts a database back. Statements that arrive meanwhile fail as they do while a host restarts. `onReady` is called
   * when the snapshot was read without a fault, directly before the database changes.
   */
  replace(
    ownerId: number,
    databaseId: number,
    snapshotId: number,
    onReady?: () => Promise<void>,
  ): Promise<void>;
  /** Removes snapshots. What later ones need stays until they are removed too. */
  drop(snapshotIds: number[]): Promise<void>;
  /** The bytes that the snapshots of an owner use. */
  bytes(ownerId: number): Promise<number>;
  /** Removes all snapshots of an owner. */
  forgetOwner(ownerId: number): Promise<void>;
}
