/** What a replica is doing. */
export interface ReplicaState {
  status:
    | 'starting'
    /** The first full copy, or one after the log could not be followed. Until it is done, changes are not safe. */
    | 'copying'
    | 'following'
    /** The place cannot be written, or this machine has a problem. It tries again. */
    | 'failing'
    /** Another server writes to the replica. */
    | 'refused'
    | 'stopped';
  /** What is wrong, for people. */
  problem: string | null;
  /** When this was written. */
  checkedAt: number;
  /** Everything that was committed before this is in the replica. */
  shippedAt: number | null;
  /** The oldest time that can be restored. */
  oldestAt: number | null;
  generation: string | null;
  /** How many segments the generation has. */
  segments: number;
  /** The bytes of the generation: its full copy and its segments. */
  bytes: number;
  /** Bytes of the log that are not in the replica yet. */
  behindBytes: number;
  /** Since when some files or databases of functions cannot be copied; null if they can. */
  stuckSince: number | null;
  /** Files and databases of functions that are not in the replica yet. */
  waiting: { files: number; databases: number };
}

export const FIRST_STATE: ReplicaState = {
  status: 'starting',
  problem: null,
  checkedAt: 0,
  shippedAt: null,
  oldestAt: null,
  generation: null,
  segments: 0,
  bytes: 0,
  behindBytes: 0,
  stuckSince: null,
  waiting: { files: 0, databases: 0 },
};

/** From this age on, people should know that the replica is behind. */
export const LATE_SECONDS = 60;

/** True if changes are not safe: it is behind, or there is no replica yet although there is a problem, or files are stuck. */
export function isLate(state: ReplicaState, now: number): boolean {
  if (state.stuckSince !== null && now - state.stuckSince > LATE_SECONDS * 1000) return true;
  const age = readAge(state, now);
  return age === undefined ? state.problem !== null : age > LATE_SECONDS;
}

/** The file in the data folder that has the state of the running server's replica. */
export const STATE_FILE = 'replica-state.json';

/** How old the replica is; undefined while there is none. */
export function readAge(state: ReplicaState, now: number): number | undefined {
  return state.shippedAt === null ? undefined : Math.max(0, (now - state.shippedAt) / 1000);
}
