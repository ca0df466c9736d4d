import type { HealthFields } from '../../../../contract/service.ts';
import type { Storage } from '../../storage/index.ts';
import type { Check } from './check.ts';

/** Reports which parts the service uses. Throws while the database does not respond. */
export function createHealth(parts: {
  config: {
    isolation: string;
    s3: object | undefined;
    mail: object | undefined;
    oidc: { name: string } | undefined;
    cluster: object | undefined;
  };
  /** The names of the providers in use. */
  connections: { readonly names: Record<string, string> };
  storage: Pick<Storage, 'engine'>;
  checkDatabase: Check;
  /** Undefined on a single node. */
  redis: { readonly isReceiving: boolean } | undefined;
  /** The sandbox level of each kind of process. */
  levels: HealthFields['boxes'] & { functions: string };
  cells: { pool: { readonly size: number } };
  databases: { status(): { running: number; wanted: number } };
}): () => Promise<HealthFields> {
  const { config, redis, cells, levels } = parts;
  const isSqlite = parts.storage.engine === 'sqlite';
  return async () => {
    await parts.checkDatabase();
    const { running, wanted } = parts.databases.status();
    return {
      status: 'ok',
      isolation: config.isolation,
      sandbox: levels.functions,
      boxes: levels,
      cells: cells.pool.size,
      embedded: [
        ...(isSqlite ? ['SQLite'] : []),
        'functions on workerd',
        ...(redis ? [] : ['limits in memory']),
      ],
      external: [
        ...(isSqlite ? [] : ['PostgreSQL']),
        ...(redis
          ? [redis.isReceiving ? 'Redis' : 'Redis (unavailable: limits and events apply to this node only)']
          : []),
        ...(config.s3 ? ['S3'] : []),
        ...(config.mail ? ['mail server'] : []),
        ...(config.oidc ? [`single sign-on with ${config.oidc.name}`] : []),
      ],
      providers: parts.connections.names,
      ...(config.cluster && { databaseHosts: { running, wanted } }),
    };
  };
}
