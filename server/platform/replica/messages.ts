import type { ReplicaPlace } from './destination/open.ts';
import type { PackOrder, PackReport } from './ship/databases/port.ts';
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
  /** The response to `pack`; without a report if the database does not exist. */
  | { kind: 'packed'; id: number; report?: PackReport | undefined; problem?: string }
  /** Ship the databases of functions now, and none of them afterwards. */
  | { kind: 'ship databases' }
  | { kind: 'stop' };

export type FromProcess =
  | { kind: 'state'; state: ReplicaState }
  | { kind: 'warning'; sentence: string }
  | { kind: 'pack'; id: number; ownerId: number; file: string; order: PackOrder }
  | { kind: 'databases shipped' };
