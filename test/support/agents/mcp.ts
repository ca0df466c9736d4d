import { Client as StatelessClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HandshakeTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { freshDatabase } from '../engines/postgres.ts';
import { startServer, type TestServer } from '../server.ts';

/** A server in its own process, and the official clients of the Model Context Protocol. */

/** The result of a tool. */
export interface ToolAnswer {
  isError: boolean;
  /** The lines of the text. The last one is the data. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
  structured: any;
  /** The data, or the failure. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
  data: any;
}

export interface Agent {
  client: Client;
  tool(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
}

const INFO = { name: 'quire-tests', version: '1.0.0' };

/** Connects with this token, as most clients do: with a handshake. The query chooses tools and results. */
export async function connectAgent(
  server: { baseUrl: string },
  token: string,
  query: Record<string, string> = {},
): Promise<Agent> {
  const client = new Client(INFO);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${server.baseUrl}/mcp?${new URLSearchParams(query)}`);
  await client.connect(new HandshakeTransport(url, { requestInit }));
  return {
    client,
    tool: async (name, input = {}) => toAnswer(await client.callTool({ name, arguments: input })),
  };
}

/** Connects with the newest revision, which has no handshake. */
export async function connectStateless(server: { baseUrl: string }, token: string): Promise<StatelessClient> {
  const client = new StatelessClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
  return client;
}

/** The JSON in the last line of a text, or undefined if it is only a part. */
// biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
export function readLast(text: string): any {
  try {
    return JSON.parse(text.split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}

/** What a test looks at of a result. */
export function toAnswer(result: Record<string, unknown>): ToolAnswer {
  const { content, structuredContent, isError } = result;
  const [block] = content as { type: string; text: string }[];
  const text = block?.text ?? '';
  const structured = structuredContent as { data?: unknown; failure?: unknown } | undefined;
  const data = structured ? (structured.data ?? structured.failure) : readLast(text);
  return { isError: isError === true, text, structured, data };
}

/** Starts a server on the engine of this test run. */
export async function startServerOnEngine(settings: Record<string, string> = {}): Promise<TestServer> {
  const { QUIRE_TEST_ENGINE: engine = 'sqlite', QUIRE_TEST_POSTGRES_URL: url } = process.env;
  if (engine === 'sqlite') return startServer({ settings });
  if (!url) throw new Error('QUIRE_TEST_POSTGRES_URL is needed to test on PostgreSQL; npm test sets it');
  const database = await freshDatabase(url);
  const server = await startServer({ settings: { ...settings, DATABASE_URL: database.url } });
  return {
    ...server,
    async stop() {
      const code = await server.stop();
      await database.drop();
      return code;
    },
  };
}
