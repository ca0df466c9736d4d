import type { Answer } from './call.ts';
import { type Account, type ClientOptions, call, register } from './fault-client.ts';
import { startDatabase } from './fault-postgres.ts';
import { takePorts } from './ports.ts';
import { startRedis } from './redis.ts';
import { startS3, type TestS3 } from './s3.ts';
import { startServer, type TestServer } from './server.ts';

/** Nodes with what they share, of which some may be killed; for tests of the databases of functions. */
export interface DatabaseCluster {
  s3: TestS3;
  owner: Account;
  databaseUrl: string;
  nodes: Node[];
  /** Starts one more. */
  add(settings?: Record<string, string>): Promise<Node>;
  /** Deploys a function with a database of its own, and returns its slug. */
  deploy(node: Node, code: string, as?: Account): Promise<string>;
  sql(node: Node, slug: string, sql: string, as?: Account): Promise<Answer>;
  call(node: Node, slug: string, options?: ClientOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Node extends TestServer {
  clusterPort: number;
}

const SHARDS = 2;

export async function startDatabaseCluster(
  count: number,
  settings: Record<string, string> = {},
): Promise<DatabaseCluster> {
  const [s3, database, redis] = await Promise.all([startS3(), startDatabase(), startRedis()]);
  const port = takePorts(1);
  const nodes: Node[] = [];
  let deployed = 0;

  async function add(more: Record<string, string> = {}): Promise<Node> {
    const clusterPort = takePorts(SHARDS);
    const server = await startServer({
      settings: {
        ...s3.settings,
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        QUIRE_SECRET: 'a secret of all nodes of this test',
        QUIRE_BASE_URL: `http://localhost:${port}`,
        QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${clusterPort}`,
        QUIRE_CLUSTER_SHARDS: String(SHARDS),
        QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
        QUIRE_LOG_LEVEL: 'debug',
        ...settings,
        ...more,
      },
    });
    const node = { ...server, baseUrl: `http://127.0.0.1:${server.port}`, clusterPort };
    nodes.push(node);
    return node;
  }

  const first = await add();
  for (let i = 1; i < count; i++) await add();
  const owner = await register(first, 'owner');

  return {
    s3,
    owner,
    databaseUrl: database.url,
    nodes,
    add,
    async deploy(node, code, as = owner) {
      const slug = `${as.username}-${++deployed}`;
      const answer = await call(node, 'POST', '/api/functions', {
        token: as.token,
        body: { slug, code, enableDatabase: true },
      });
      if (answer.status !== 201)
        throw new Error(`deploying failed: ${answer.status} ${JSON.stringify(answer.body)}`);
      return slug;
    },
    sql: (node, slug, sql, as = owner) =>
      call(node, 'POST', `/api/functions/${slug}/database`, {
        token: as.token,
        body: { sql },
        timeoutMs: 60_000,
      }),
    call: (node, slug, options) =>
      call(node, 'POST', `/api/functions/${slug}`, { timeoutMs: 60_000, ...options }),
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all([s3.stop(), database.stop(), redis.stop()]);
    },
  };
}
