/** A complete backup. */
interface KeptBackup {
  name: string;
  bytes: number;
}

/** A backup that is being written. Nobody sees it before it is finished. */
export interface BackupWriter {
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Removes the part that has been written. */
  discard(): Promise<void>;
}

/** Where backups are kept: a folder, or a bucket that all nodes share. */
export interface BackupPlace {
  /** The name of the place for the operator. */
  readonly title: string;
  readonly isBucket: boolean;
  /** Removes what a killed server left. Only a server that starts calls this. */
  recover(): Promise<void>;
  list(): Promise<KeptBackup[]>;
  create(name: string): Promise<BackupWriter>;
  /** Opens a backup. Undefined if there is no such backup. */
  open(name: string): Promise<{ bytes: number; body: Blob | ReadableStream<Uint8Array> } | undefined>;
  /** Removes a backup. False if there was none. */
  remove(name: string): Promise<boolean>;
  /** Removes parts of incomplete backups that are older than `before`. A newer one may be running. */
  removeRemains(before: string): Promise<void>;
}

/** Thrown if there is too little space left. */
export class NoSpaceError extends Error {}
