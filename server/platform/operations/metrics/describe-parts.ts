import type { Registry } from 'prom-client';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Cells } from '../../cells/index.ts';
import type { EventStreams } from '../../http/index.ts';
import type { Providers } from '../../providers/index.ts';
import type { Storage } from '../../storage/index.ts';
import { counter, gauge } from './figures.ts';

/** What the parts of the service tell of themselves. */
export interface Parts {
  storage: Pick<Storage, 'status'>;
  blobs: { done: Record<string, number>; failed: Record<string, number> };
  /** None on one node. */
  redis: { readonly isReceiving: boolean } | undefined;
  limits: { refused: Record<string, number> };
  events: { readonly published: number };
  streams: Pick<EventStreams, 'size'>;
  cells: Pick<Cells, 'pool' | 'databases'>;
  pages: {
    status(): { hits: number; loads: number; bytes: number; pages: number; viewsPending: number };
  };
  credits: { counts: Record<string, number> };
  providers: Pick<Providers, 'status'>;
  readiness: { readonly isDraining: boolean };
}

/** One number, or one for each value of a label. */
type Read = () => number | Record<string, number>;

/** Every figure at `/metrics` that is about a part of the service, in the order of the floor and the slices. */
export function describeParts(registry: Registry, parts: Parts): void {
  const { storage, blobs, redis, limits, events, streams, pages, credits, providers, readiness } = parts;
  const { pool, databases } = parts.cells;
  const count = (name: string, help: string, read: Read, label?: string) =>
    counter(registry, { name, help, read, ...(label && { label }) });
  const level = (name: string, help: string, read: Read, label?: string) =>
    gauge(registry, { name, help, read, ...(label && { label }) });

  level('quire_info', 'The version that runs.', () => ({ [packageJson.version]: 1 }), 'version');
  level('quire_draining', '1 when the node has been told to stop.', () => (readiness.isDraining ? 1 : 0));

  level('quire_storage_connections', 'Open connections to PostgreSQL.', () => storage.status().connections);
  level('quire_storage_connections_in_use', 'Those in use.', () => storage.status().inUse);
  level('quire_storage_waiting', 'Queries that wait for a connection.', () => storage.status().waiting);
  count(
    'quire_storage_failures_total',
    'Queries that failed, by what was wrong; unique violations are a matter of course.',
    () => storage.status().failures,
    'kind',
  );
  count('quire_blob_operations_total', 'Operations on blobs that were done.', () => blobs.done, 'operation');
  count('quire_blob_failures_total', 'Operations on blobs that failed.', () => blobs.failed, 'operation');

  count('quire_limit_refusals_total', 'What limits have refused.', () => limits.refused, 'limit');
  if (redis) level('quire_redis_up', '1 while Redis answers.', () => (redis.isReceiving ? 1 : 0));
  count('quire_events_published_total', 'Live events published by this node.', () => events.published);
  level('quire_event_streams', 'Open streams of server-sent events.', () => streams.size);

  level('quire_cells', 'Functions that run.', () => pool.status().running);
  count('quire_cells_started_total', 'Cells started.', () => pool.status().started);
  count(
    'quire_cell_deaths_total',
    'Cells that ended while they were needed.',
    () => pool.status().deaths,
    'reason',
  );
  level('quire_cell_calls_waiting', 'Calls that wait for a cell to start.', () => pool.status().waiting);
  level('quire_database_hosts', 'Database hosts that run.', () => databases.status().running);
  level('quire_database_hosts_wanted', 'Those that should.', () => databases.status().wanted);
  level(
    'quire_databases_held',
    'Databases of functions that were used at this node of a cluster in the last ten minutes.',
    () => Object.keys(databases.status().lastUses).length,
  );
  count(
    'quire_database_host_restarts_total',
    'Hosts that had to come back.',
    () => databases.status().restarts,
  );

  const ofProviders = (read: (status: ReturnType<Providers['status']>['chat']) => number) => () =>
    Object.fromEntries(Object.entries(providers.status()).map(([name, status]) => [name, read(status)]));
  count(
    'quire_provider_calls_total',
    'Calls to providers.',
    ofProviders(({ calls }) => calls),
    'provider',
  );
  count(
    'quire_provider_failures_total',
    'Calls to providers that failed.',
    ofProviders(({ failures }) => failures),
    'provider',
  );
  count(
    'quire_provider_refusals_total',
    'Calls that were refused because the provider had failed several times.',
    ofProviders(({ refusals }) => refusals),
    'provider',
  );
  level(
    'quire_provider_circuit_open',
    '1 while calls to the provider are refused.',
    ofProviders(({ isOpen }) => (isOpen ? 1 : 0)),
    'provider',
  );

  count(
    'quire_page_cache_hits_total',
    'Pages that were in memory when asked for.',
    () => pages.status().hits,
  );
  count('quire_page_cache_loads_total', 'Pages read from the database.', () => pages.status().loads);
  level('quire_page_cache_bytes', 'Memory for pages.', () => pages.status().bytes);
  level('quire_page_cache_pages', 'Pages in memory.', () => pages.status().pages);
  level(
    'quire_views_pending',
    'Views that are counted but not written yet.',
    () => pages.status().viewsPending,
  );
  count(
    'quire_credit_movements_total',
    'Reservations of credits made, settled and given back by requests to this node.',
    () => ({ ...credits.counts }),
    'kind',
  );
}
