import type { Registry } from 'prom-client';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { EventStreams, Sockets } from '../../http/index.ts';
import type { Mail } from '../../mail/index.ts';
import type { Providers } from '../../providers/index.ts';
import { type ReplicaState, readAge } from '../../replica/index.ts';
import type { Storage } from '../../storage/index.ts';
import type { Readiness } from '../health/index.ts';
import { counter, gauge } from './figures.ts';

/** The parts of the service that report figures. */
export interface Parts {
  storage: Pick<Storage, 'status' | 'clock'>;
  blobs: { done: Record<string, number>; failed: Record<string, number> };
  /** Undefined on a single node. */
  redis: { readonly isReceiving: boolean } | undefined;
  limits: { refused: Record<string, number> };
  events: { readonly published: number };
  streams: Pick<EventStreams, 'size'>;
  config: { backups: { isElsewhere: boolean } };
  sockets: Pick<Sockets, 'counts'>;
  cells: {
    pool: {
      status(): {
        running: number;
        started: number;
        failures: Record<string, number>;
        deaths: Record<string, number>;
        waiting: number;
      };
    };
  };
  databases: {
    status(): { running: number; wanted: number; restarts: number; lastUses: Record<string, number> };
  };
  pages: {
    status(): { hits: number; loads: number; bytes: number; pages: number; viewsPending: number };
  };
  live: { status(): { channels: number; published: number; delivered: number } };
  credits: { counts: Record<string, number> };
  providers: Pick<Providers, 'status'>;
  mail: Pick<Mail, 'isConfigured' | 'status'>;
  readiness: Pick<Readiness, 'isDraining' | 'look'>;
  disk: { readonly freeBytes: number; readonly totalBytes: number; readonly isLow: boolean };
  reports: {
    readonly delayedSchedules: number;
    readonly jobs: { waiting: number; failed: number; delaySeconds: number };
    readonly openPageReports: number;
    readonly backupFailures: number;
    readonly backupDelaySeconds: number;
    backupAges(): Record<string, number>;
    proofAges(): Record<string, number>;
    proofSeconds(): number;
  };
  /** Undefined if there is none. */
  replica: { readonly state: ReplicaState } | undefined;
  /** Undefined if nothing is traced. */
  traces: { readonly counts: Record<string, number> } | undefined;
}

/** One number, or one for each value of a label. */
type Read = () => number | Record<string, number> | Promise<Record<string, number>>;

/** Adds figures to a registry. */
interface Describe {
  /** A figure that only grows. */
  count(name: string, help: string, read: Read, label?: string): void;
  /** A figure that goes up and down. */
  level(name: string, help: string, read: Read, label?: string): void;
}

/** Adds every figure at `/metrics` that is about a part of the service. */
export function describeParts(registry: Registry, parts: Parts): void {
  const describe: Describe = {
    count: (name, help, read, label) => counter(registry, { name, help, read, ...(label && { label }) }),
    level: (name, help, read, label) => gauge(registry, { name, help, read, ...(label && { label }) }),
  };
  describeService(describe, parts);
  describeStorage(describe, parts);
  describeCoordination(describe, parts);
  describeFunctions(describe, parts);
  describeProviders(describe, parts);
  describeMail(describe, parts);
  describeProduct(describe, parts);
  describeUpkeep(describe, parts);
  describeReplica(describe, parts);
  describeTraces(describe, parts);
}

function describeTraces({ count }: Describe, { traces }: Parts): void {
  if (!traces) return;
  count(
    'quire_trace_spans_total',
    'Spans that the collector has taken (sent), that it did not take (failed), and that there was no place for (dropped).',
    () => ({ ...traces.counts }),
    'result',
  );
}

function describeReplica({ level }: Describe, { replica }: Parts): void {
  if (!replica) return;
  level(
    'quire_replica_age_seconds',
    'Seconds since everything was in the replica; -1 while there is none.',
    () => readAge(replica.state, Date.now()) ?? -1,
  );
  level(
    'quire_replica_behind_bytes',
    'Bytes of the log of the database that are not in the replica.',
    () => replica.state.behindBytes,
  );
  level(
    'quire_replica_waiting',
    'Files and databases of functions that are not in the replica yet.',
    () => ({ ...replica.state.waiting }),
    'kind',
  );
}

function describeUpkeep({ level }: Describe, { config, disk, reports }: Parts): void {
  level('quire_disk_free_bytes', 'Free space on the disk of the data folder.', () => disk.freeBytes);
  level('quire_disk_bytes', 'Size of the disk of the data folder.', () => disk.totalBytes);
  level('quire_disk_low', '1 while new data is refused because the disk is almost full.', () =>
    disk.isLow ? 1 : 0,
  );
  level(
    'quire_backup_age_seconds',
    'Seconds since the last backup ended.',
    () => reports.backupAges(),
    'result',
  );
  level('quire_backups_elsewhere', '1 if something else than Quire makes the backups.', () =>
    config.backups.isElsewhere ? 1 : 0,
  );
  level(
    'quire_backup_failures',
    'Scheduled backups that have failed since the last good one.',
    () => reports.backupFailures,
  );
  level(
    'quire_backup_delay_seconds',
    'How late the next scheduled backup is; 0 while none is due.',
    () => reports.backupDelaySeconds,
  );
  level(
    'quire_backup_proof_age_seconds',
    'Seconds since a backup was last restored to prove it.',
    () => reports.proofAges(),
    'result',
  );
  level('quire_backup_proof_seconds', 'How long the last proof took.', () => reports.proofSeconds());
  level(
    'quire_schedules_delayed',
    'Schedules that are more than a minute late.',
    () => reports.delayedSchedules,
  );
  level(
    'quire_page_reports_open',
    'Reports of pages that no administrator has decided.',
    () => reports.openPageReports,
  );
  level('quire_jobs_waiting', 'Messages in the queues of functions.', () => reports.jobs.waiting);
  level('quire_jobs_failed', 'Messages that have failed for the last time.', () => reports.jobs.failed);
  level(
    'quire_jobs_delay_seconds',
    'How late the queue is that has waited longest.',
    () => reports.jobs.delaySeconds,
  );
}

function describeService({ level }: Describe, { readiness }: Parts): void {
  level('quire_info', 'The running version.', () => ({ [packageJson.version]: 1 }), 'version');
  level('quire_draining', '1 when the node is stopping.', () => (readiness.isDraining ? 1 : 0));
  level(
    'quire_part_unavailable',
    '1 for each part that is unavailable, as in `degraded` of /readyz.',
    async () => (await readiness.look()).degraded,
    'part',
  );
  level(
    'quire_not_ready',
    '1 for each reason why this node should get no requests, as in `reasons` of /readyz.',
    async () => (await readiness.look()).reasons,
    'reason',
  );
}

function describeStorage({ count, level }: Describe, { storage, blobs }: Parts): void {
  level('quire_storage_connections', 'Open connections to PostgreSQL.', () => storage.status().connections);
  level('quire_storage_connections_in_use', 'Connections in use.', () => storage.status().inUse);
  level('quire_storage_waiting', 'Queries that wait for a connection.', () => storage.status().waiting);
  level(
    'quire_clock_difference_seconds',
    "How far this machine's clock is ahead of PostgreSQL's. Always 0 with SQLite.",
    () => storage.clock.differenceMs() / 1000,
  );
  count(
    'quire_storage_failures_total',
    'Failed queries, by cause. Unique violations are normal.',
    () => storage.status().failures,
    'kind',
  );
  count('quire_blob_operations_total', 'Blob operations that succeeded.', () => blobs.done, 'operation');
  count('quire_blob_failures_total', 'Blob operations that failed.', () => blobs.failed, 'operation');
}

function describeCoordination({ count, level }: Describe, parts: Parts): void {
  const { events, limits, redis, sockets, streams } = parts;
  count('quire_limit_refusals_total', 'Requests refused by a limit.', () => limits.refused, 'limit');
  if (redis) level('quire_redis_up', '1 while Redis answers.', () => (redis.isReceiving ? 1 : 0));
  count('quire_events_published_total', 'Live events published by this node.', () => events.published);
  level('quire_event_streams', 'Open streams of server-sent events.', () => streams.size);
  level('quire_sockets', 'Open WebSockets, by what they are for.', () => ({ ...sockets.counts }), 'kind');
}

function describeFunctions({ count, level }: Describe, { cells: { pool }, databases }: Parts): void {
  level('quire_cells', 'Running functions.', () => pool.status().running);
  count('quire_cells_started_total', 'Cells started.', () => pool.status().started);
  count(
    'quire_cell_failures_total',
    'Cells that were needed and did not start: all places were busy, or the process failed.',
    () => pool.status().failures,
    'reason',
  );
  count(
    'quire_cell_deaths_total',
    'Cells that ended while they were needed.',
    () => pool.status().deaths,
    'reason',
  );
  level('quire_cell_calls_waiting', 'Calls that wait for a cell to start.', () => pool.status().waiting);
  level('quire_database_hosts', 'Running database hosts.', () => databases.status().running);
  level('quire_database_hosts_wanted', 'Database hosts that should run.', () => databases.status().wanted);
  level(
    'quire_databases_held',
    'Function databases used at this node of a cluster in the last ten minutes.',
    () => Object.keys(databases.status().lastUses).length,
  );
  count(
    'quire_database_host_restarts_total',
    'Database hosts that were restarted.',
    () => databases.status().restarts,
  );
}

function describeProviders({ count, level }: Describe, { providers }: Parts): void {
  type Status = ReturnType<Providers['status']>['chat'];
  const byProvider = (read: (status: Status) => number) => () =>
    Object.fromEntries(Object.entries(providers.status()).map(([name, status]) => [name, read(status)]));
  const calls = byProvider((status) => status.calls);
  const failures = byProvider((status) => status.failures);
  const refusals = byProvider((status) => status.refusals);
  const open = byProvider((status) => (status.isOpen ? 1 : 0));
  count('quire_provider_calls_total', 'Calls to providers.', calls, 'provider');
  count('quire_provider_failures_total', 'Calls to providers that failed.', failures, 'provider');
  count(
    'quire_provider_refusals_total',
    'Calls that were refused because the provider had failed repeatedly.',
    refusals,
    'provider',
  );
  level('quire_provider_circuit_open', '1 while calls to the provider are refused.', open, 'provider');
}

/** Without a mail server there is nothing to report. */
function describeMail({ count, level }: Describe, { mail }: Parts): void {
  if (!mail.isConfigured) return;
  level(
    'quire_mails_waiting',
    'Mail that waits to be sent by any node, when this node last looked.',
    () => mail.status().waiting,
  );
  count('quire_mails_sent_total', 'Mail that this node sent.', () => mail.status().sent);
  count('quire_mails_failed_total', 'Mail that this node gave up.', () => mail.status().failed);
}

function describeProduct({ count, level }: Describe, { pages, live, credits }: Parts): void {
  count('quire_page_cache_hits_total', 'Pages served from memory.', () => pages.status().hits);
  count('quire_page_cache_loads_total', 'Pages read from the database.', () => pages.status().loads);
  level('quire_page_cache_bytes', 'Memory used by cached pages.', () => pages.status().bytes);
  level('quire_page_cache_pages', 'Cached pages.', () => pages.status().pages);
  level('quire_views_pending', 'Views counted but not yet written.', () => pages.status().viewsPending);
  level('quire_live_channels', 'Live channels with somebody in them.', () => live.status().channels);
  count(
    'quire_live_messages_total',
    'Messages to live channels that this node accepted.',
    () => live.status().published,
  );
  count(
    'quire_live_deliveries_total',
    'Messages and presence lists sent to tabs, once for each tab.',
    () => live.status().delivered,
  );
  count(
    'quire_credit_movements_total',
    'Credit reservations made, settled and released by requests to this node.',
    () => ({ ...credits.counts }),
    'kind',
  );
}
