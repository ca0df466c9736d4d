import type { ReplicaPlace } from './destination/open.ts';
import type { ReplicaState } from './state.ts';

/** What the server and the process that ships its data tell each other. */

export interface StartMessage {
  kind: 'start';
  place: ReplicaPlace;
  dataFolder: string;
  /** False if files are in a bucket. */
  hasFiles: boolean;
  /** The name of the folder with database files, inside the folder of an owner. */
  databasesInner: string;
}

export type ToProcess =
  | StartMessage
  | { kind: 'file'; key: string }
  /** The response to `copy`; without a folder if the database does not exist. */
  | { kind: 'copied'; id: number; folder?: string; problem?: string }
  | { kind: 'stop' };

export type FromProcess =
  | { kind: 'state'; state: ReplicaState }
  | { kind: 'warning'; sentence: string }
  | { kind: 'copy'; id: number; ownerId: number; file: string }
  | { kind: 'copy read'; id: number };
