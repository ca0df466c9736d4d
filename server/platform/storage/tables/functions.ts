import type { Generated } from 'kysely';

/** The tables of functions. */

export interface FunctionDatabasesTable {
  id: Generated<number>;
  owner_id: number;
  created_at: number;
  /** Set when the database's last function is removed. The row is deleted once the file is gone. */
  deleted_at: number | null;
  /** The bytes that count towards the owner's quota in a cluster; otherwise 0. */
  bytes: Generated<number>;
  /** How often it was restored. Cells that were started before the last time cannot use it. */
  generation: Generated<number>;
  /** While the number of shards changes: the number for which it has moved. */
  moved_to: Generated<number | null>;
}

/** A copy of a function database at one time: the pages that changed since the one before, or all of them. */
export interface DatabaseSnapshotsTable {
  id: Generated<number>;
  owner_id: number;
  /** The database may be gone. */
  database_id: number;
  at: number;
  /** The full snapshot that it needs, with all between; null for a full one. */
  base_id: number | null;
  blob_key: string;
  /** The bytes of its segment. */
  bytes: number;
  /** The SHA-256 of its segment, in hexadecimal. */
  checksum: string;
  /** The size of the database, in pages. */
  page_count: number;
  page_bytes: number;
  /** How far it has read the database's log, as JSON; null if there was none. */
  log_position: string | null;
  /** Set if only later snapshots need it. */
  dropped_at: Generated<number | null>;
}

export interface FunctionsTable {
  id: Generated<number>;
  /** Null for the platform's own functions. */
  owner_id: number | null;
  slug: string;
  display_name: string;
  description: string;
  /** What was sent as `code`. What runs is the bundle of the current version, if it has one. */
  code: string;
  version: number;
  /** Counts changes of secrets, which also need a new cell. */
  secrets_revision: number;
  is_public: number;
  database_id: number | null;
  created_at: number;
  updated_at: number;
  /** Set if an administrator has taken the function down. */
  taken_down_at: Generated<number | null>;
  taken_down_reason: Generated<string | null>;
  /** Set while the owner's account is suspended or about to be deleted. */
  owner_blocked_at: Generated<number | null>;
  /** The page that the function belongs to, if it belongs to one. It has the same owner. */
  page_id: Generated<number | null>;
  /** Credits that the function can spend on AI in a day. */
  ai_daily_credits: Generated<number>;
  /** If it belongs to a branch: what the branch calls it. Null for all others. */
  branch_slug: Generated<string | null>;
}

/** What a function has spent or reserved for AI on one day: the last one on which it did. */
export interface FunctionAiUseTable {
  function_id: number;
  /** Days since 1970, in UTC. */
  day: number;
  tokens: number;
}

export interface FunctionSecretsTable {
  function_id: number;
  name: string;
  /** The value of the secret, encrypted with AES-GCM and the service's key. */
  sealed_value: string;
}

export interface FunctionLogsTable {
  id: Generated<number>;
  function_id: number;
  at: number;
  kind: 'console' | 'exception' | 'call' | 'system';
  level: string;
  message: string;
  status: number | null;
  duration_ms: number | null;
}

export interface FunctionStatsTable {
  function_id: number;
  hour: number;
  calls: number;
  errors: number;
  duration_total_ms: number;
  duration_max_ms: number;
}

/** A version of a function as it was sent, and as it runs. */
export interface FunctionVersionsTable {
  function_id: number;
  version: number;
  /** The bytes of the version's texts, which count towards the owner's quota. */
  size: number;
  created_at: number;
  code: string;
  /** JSON: the sources of further modules by their path; null if there are none. */
  files: string | null;
  /** The code that runs; null if `code` runs as it is. */
  bundle: string | null;
  source_map: string | null;
  /** What the author says about the version. */
  note: Generated<string | null>;
}

/** How many calls of an hour took how long. Each bucket is longer than the one before by the same factor. */
export interface FunctionDurationsTable {
  function_id: number;
  hour: number;
  bucket: number;
  calls: number;
}

/** Statements that the people who manage a database use again. */
export interface SavedQueriesTable {
  id: Generated<number>;
  database_id: number;
  name: string;
  sql: string;
  created_at: number;
  updated_at: number;
}

/** When a function runs by itself, and how its last run ended. */
export interface FunctionSchedulesTable {
  id: Generated<number>;
  function_id: number;
  /** The function's owner, whose schedules take turns. */
  owner_id: number;
  /** The schedule's place in the owner's list. */
  position: number;
  cron: string;
  timezone: string;
  /** The next moment that the cron text names. Only ever a later one, so that no moment runs twice. */
  moment: number;
  /** When a node may claim that moment: at that moment, or later if it was postponed. */
  due_at: number;
  /** When `moment` was determined. */
  planned_at: number;
  /** Set while a run is in progress. If it has not ended by this time, its node was lost. */
  running_until: number | null;
  /** Failed runs in a row. */
  failures: number;
  last_moment: number | null;
  last_started_at: number | null;
  last_result: 'running' | 'ok' | 'error' | 'interrupted' | null;
  last_duration_ms: number | null;
  last_error: string | null;
}

/** The messages of a function together: which functions have work, and the one batch that is in progress. */
export interface FunctionQueuesTable {
  function_id: number;
  /** The function's owner, whose functions take turns. */
  owner_id: number;
  /** Messages that are not done, with those of the batch in progress. */
  waiting: number;
  failed: number;
  /** What all of them count towards the owner's quota. */
  bytes: number;
  /** When the next message is due; null if none waits. */
  due_at: number | null;
  /** Set while a batch is in progress. If its node does not set it again before this time, the node was lost. */
  running_until: number | null;
  /** Names the batch in progress. */
  lease: string | null;
  /** Messages of the batch in progress. */
  running: number;
}

/** A message that a function has sent to its `queue`. */
export interface FunctionJobsTable {
  id: Generated<number>;
  function_id: number;
  /** A waiting message with the same key is replaced. Null once the message was taken for a batch. */
  key: string | null;
  /** The message, as JSON. */
  body: string;
  bytes: number;
  sent_at: number;
  due_at: number;
  tries: number;
  /** How often it was cut off because others waited, without counting as a try. */
  cut_offs: Generated<number>;
  /** The lease of the batch that it is in. */
  batch: string | null;
  /** Set when it is not tried again. */
  failed_at: number | null;
  error: string | null;
  /** The trigger whose URL gets the message; null if the function gets it. */
  trigger_id: Generated<number | null>;
  /** Messages with the same text are taken one after the other. */
  in_order: Generated<string | null>;
  /** How many deliveries of changes led to the message, one after the other. */
  round: Generated<number>;
}

/** What a function gets of the changes of a collection of its page. */
export interface FunctionTriggersTable {
  id: Generated<number>;
  function_id: number;
  position: number;
  collection: string;
  /** As JSON. */
  actions: string;
  /** Where changes are sent; null if the function's own `queue` gets them. */
  url: string | null;
  /** What signs them. Only triggers with a URL have this. */
  sealed_secret: string | null;
}
