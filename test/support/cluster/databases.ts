import { startDatabase } from '../engines/process-postgres.ts';
import { startRedis } from '../engines/redis.ts';
import { startS3, type TestS3 } from '../engines/s3.ts';
import type { TestResponse } from '../http/call.ts';
import { type Account, type ClientOptions, call, register } from '../http/client.ts';
import { takePorts } from '../ports.ts';
import { startServer, type TestServer } from '../server.ts';

/**
 * Nodes with PostgreSQL, Redis and a bucket, to test the databases of functions. Nodes can be killed and
 * added.
 */
export interface DatabaseCluster {
  s3: TestS3;
  owner: Account;
  databaseUrl: string;
  redisUrl: string;
  nodes: Node[];
  /** Starts one more node. */
  add(settings?: Record<string, string>): Promise<Node>;
  /** Deploys a function with its own database, and returns its slug. */
  deploy(node: Node, code: string, as?: Account): Promise<string>;
  /** Deploys a function that runs the SQL it gets, with a table `t (a)` in a database on the node. */
  withTable(node: Node, as?: Account): Promise<string>;
  /** The numbers in that table. */
  numbers(node: Node, slug: string): Promise<number[]>;
  sql(node: Node, slug: string, sql: string, as?: Account): Promise<TestResponse>;
  call(node: Node, slug: string, options?: ClientOptions): Promise<TestResponse>;
  stop(): Promise<void>;
}

export interface Node extends TestServer {
  clusterPort: number;
}

const SHARDS = 2;

/** Runs a statement on `env.DB`, without catching errors. */
export const RUNNER = `export default { async fetch(request, env) {
  const { sql } = await request.json();
  return Response.json((await env.DB.prepare(sql).all()).results);
} };`;

export async function startDatabaseCluster(
  count: number,
  settings: Record<string, string> = {},
): Promise<DatabaseCluster> {
  const [s3, database, redis] = await Promise.all([startS3(), startDatabase(), startRedis()]);
  const port = takePorts(1);
  const nodes: Node[] = [];
  let deployed = 0;

  async function add(more: Record<string, string> = {}): Promise<Node> {
    // One more, for TLS.
    const clusterPort = takePorts(SHARDS + 1);
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

  const [first] = await Promise.all(Array.from({ length: count }, () => add()));
  const owner = await register(first as Node, 'owner');

  async function deploy(node: Node, code: string, as = owner): Promise<string> {
    const slug = `${as.username}-${++deployed}`;
    const body = { slug, code, enableDatabase: true };
    expectOk(await call(node, 'POST', '/api/functions', { token: as.token, body }));
    return slug;
  }

  const sql = (node: Node, slug: string, text: string, as = owner) =>
    call(node, 'POST', `/api/functions/${slug}/database`, {
      token: as.token,
      body: { sql: text },
      timeoutMs: 60_000,
    });

  return {
    s3,
    owner,
    databaseUrl: database.url,
    redisUrl: redis.url,
    nodes,
    add,
    deploy,
    async withTable(node, as) {
      const slug = await deploy(node, RUNNER, as);
      expectOk(await sql(node, slug, 'CREATE TABLE t (a)', as));
      return slug;
    },
    async numbers(node, slug) {
      const answer = await sql(node, slug, 'SELECT a FROM t ORDER BY a');
      return expectOk(answer).body.results.map(({ a }: { a: number }) => a);
    },
    sql,
    call: (node, slug, options) =>
      call(node, 'POST', `/api/functions/${slug}`, { timeoutMs: 60_000, ...options }),
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all([s3.stop(), database.stop(), redis.stop()]);
    },
  };
}

function expectOk(answer: TestResponse): TestResponse {
  if (answer.status >= 300) throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
