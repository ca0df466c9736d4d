/** The objects that say who writes a replica. The first of them is the first object of a replica. */
export const WRITERS = 'writers/';

/** Where a replica is stored. */
export interface Destination {
  /** For messages, without keys. */
  name: string;
  /** Stores an object durably, or replaces it. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Stores an object unless there is one with this name; false if there is. The first object of a replica comes so. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** All names that begin with a prefix, which ends with a slash, in order. */
  list(prefix: string): Promise<string[]>;
  delete(key: string): Promise<void>;
}
