import { z } from 'zod';
import type { Cells } from '../cells/index.ts';
import {
  type Actor,
  AppError,
  bearerOf,
  notFound,
  type Route,
  readBody,
  route,
  signedIn,
} from '../http/index.ts';
import type { Calls } from './call.ts';
import { exportSql, importSql, runSql } from './database.ts';
import { createFunction, type DeployContext, patchFunction, removeFunction, requireOwner } from './deploy.ts';
import { followLogs } from './follow.ts';
import { secretContext } from './registry.ts';
import {
  CODE_BODY_LIMIT,
  Code,
  CreateFunction,
  Deployed,
  FunctionDetail,
  FunctionList,
  IMPORT_BODY_LIMIT,
  ListQuery,
  LogList,
  LogQuery,
  MAX_SECRET_BYTES,
  Patched,
  PatchFunction,
  QueryResult,
  SECRET_NAME,
  SecretBody,
  SecretList,
  SQL_BODY_LIMIT,
  SqlQuery,
  Stats,
  secretParams,
  slugParams,
  toDeployed,
  toDetail,
  toListItem,
  toLogEntry,
  toPatched,
  toStats,
} from './schema.ts';
import type { Sealer } from './secrets.ts';
import {
  deleteSecret,
  type FunctionRow,
  findFunction,
  listLogs,
  listOwn,
  listPublic,
  listSecrets,
  listStats,
  lockFunction,
  saveSecret,
  updateFunction,
} from './store.ts';

const READ = { kind: 'management', scope: 'functions:read' } as const;
const WRITE = { kind: 'management', scope: 'functions:write' } as const;
/** How long statistics are shown. */
export const STATS_MS = 7 * 24 * 3600 * 1000;

export interface FunctionsContext extends DeployContext {
  calls: Calls;
  cells: Cells;
  sealer: Sealer;
  workerUrl(row: { id: number; slug: string }): string;
}

export function functionRoutes(context: FunctionsContext): Route[] {
  const { db, now, cells, sealer, registry, logs, workerUrl } = context;
  const own = async (slug: string, actor: Actor | undefined): Promise<FunctionRow> =>
    requireOwner(await findFunction(db, slug), signedIn(actor));

  /** Changes a secret, and lets the next call start with it. */
  async function changeSecrets(
    slug: string,
    actor: Actor,
    change: (id: number) => (tx: Parameters<typeof lockFunction>[0]) => Promise<void>,
  ) {
    await db.transaction().execute(async (tx) => {
      const row = requireOwner(await lockFunction(tx, slug), actor);
      await change(row.id)(tx);
      await updateFunction(tx, row.id, { secrets_revision: row.secrets_revision + 1 });
      registry.drop(row.id);
    });
    const { id } = await own(slug, actor);
    registry.drop(id);
  }

  return [
    route({
      method: 'GET',
      path: '/api/functions',
      access: { kind: 'public' },
      summary: 'List public functions; with mine=true and a token, your own',
      query: ListQuery,
      response: FunctionList,
      async handle({ query, actor }) {
        const rows = query.mine === 'true' && actor ? await listOwn(db, actor.userId) : await listPublic(db);
        return { functions: rows.map(toListItem) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/functions',
      access: WRITE,
      summary: 'Deploy a function',
      body: CreateFunction,
      bodyLimit: CODE_BODY_LIMIT,
      status: 201,
      response: Deployed,
      async handle({ body, actor }) {
        const row = await createFunction(context, signedIn(actor), body);
        return toDeployed(row, workerUrl(row));
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug',
      access: { kind: 'public' },
      summary: 'Read what is known of a function',
      params: slugParams,
      response: FunctionDetail,
      async handle({ params, actor }) {
        const row = await findFunction(db, params.slug);
        if (!row || (row.is_public !== 1 && row.owner_id !== actor?.userId)) throw notFound('This function');
        return toDetail(row, workerUrl(row));
      },
    }),
    route({
      method: 'POST',
      path: '/api/functions/:slug',
      access: { kind: 'public' },
      summary: 'Call a function: the body and query reach it, its answer comes back',
      params: slugParams,
      // The front door takes the same calls by a shorter way; this one is for preflights and the reference.
      handle: ({ params, request, address, requestId }) =>
        context.calls.atApi(request, params.slug, new URL(request.url).search, {
          address,
          bearer: bearerOf(request),
          requestId,
        }),
    }),
    route({
      method: 'PATCH',
      path: '/api/functions/:slug',
      access: WRITE,
      summary: 'Change a function; new code is loaded before it takes over',
      params: slugParams,
      body: PatchFunction,
      bodyLimit: CODE_BODY_LIMIT,
      response: Patched,
      async handle({ params, body, actor }) {
        const row = await patchFunction(context, signedIn(actor), params.slug, body);
        return toPatched(row, workerUrl(row));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/functions/:slug',
      access: WRITE,
      summary: 'Remove a function, and its database when no other uses it',
      params: slugParams,
      status: 204,
      handle: ({ params, actor }) => removeFunction(context, signedIn(actor), params.slug),
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/code',
      access: READ,
      summary: 'Read the code back',
      params: slugParams,
      response: Code,
      async handle({ params, actor }) {
        const { code, version } = await own(params.slug, actor);
        return { code, version };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/stats',
      access: READ,
      summary: 'Calls, errors and durations by hour, of the last seven days',
      params: slugParams,
      response: Stats,
      async handle({ params, actor }) {
        const { id } = await own(params.slug, actor);
        await logs.flush();
        return { stats: (await listStats(db, id, now() - STATS_MS)).map(toStats) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/logs',
      access: READ,
      summary: 'What the function printed and how its calls went; follow=true streams',
      params: slugParams,
      query: LogQuery,
      response: LogList,
      async handle({ params, query, actor, request }) {
        const { id } = await own(params.slug, actor);
        const list = async () => {
          await logs.flush();
          return (await listLogs(db, id, query)).reverse();
        };
        if (query.follow === 'true') return followLogs(logs, id, list, request.signal);
        return { logs: (await list()).map(toLogEntry) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/secrets',
      access: READ,
      summary: 'List the names of secrets',
      params: slugParams,
      response: SecretList,
      async handle({ params, actor }) {
        const { id } = await own(params.slug, actor);
        return { secrets: (await listSecrets(db, id)).map(({ name }) => ({ name })) };
      },
    }),
    route({
      method: 'PUT',
      path: '/api/functions/:slug/secrets/:name',
      access: WRITE,
      summary: 'Set a secret; the next call has it in env',
      params: secretParams,
      body: SecretBody,
      status: 204,
      async handle({ params, body, actor }) {
        const { name } = params;
        if (!SECRET_NAME.test(name) || name === 'DB' || name.length > 100) {
          throw new AppError(
            'BAD_REQUEST',
            'A secret is named in capitals, digits and _, begins with a letter, and is not DB.',
          );
        }
        if (Buffer.byteLength(body.value) > MAX_SECRET_BYTES) {
          throw new AppError(
            'PAYLOAD_TOO_LARGE',
            `A secret has at most ${MAX_SECRET_BYTES.toLocaleString('en')} bytes.`,
          );
        }
        await own(params.slug, actor);
        await changeSecrets(
          params.slug,
          signedIn(actor),
          (id) => (tx) => saveSecret(tx, id, name, sealer.seal(body.value, secretContext(id, name))),
        );
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/functions/:slug/secrets/:name',
      access: WRITE,
      summary: 'Remove a secret',
      params: secretParams,
      status: 204,
      async handle({ params, actor }) {
        await own(params.slug, actor);
        await changeSecrets(params.slug, signedIn(actor), (id) => async (tx) => {
          if (!(await deleteSecret(tx, id, params.name))) throw notFound('This secret');
        });
      },
    }),
    route({
      method: 'POST',
      path: '/api/functions/:slug/database',
      access: WRITE,
      summary: "Run one SQL statement on the function's database",
      params: slugParams,
      body: SqlQuery,
      bodyLimit: SQL_BODY_LIMIT,
      response: QueryResult,
      handle: async ({ params, body, actor }) => runSql(cells, await own(params.slug, actor), body),
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/database/export',
      access: READ,
      summary: 'The database as SQL text',
      params: slugParams,
      handle: async ({ params, actor }) => exportSql(cells, await own(params.slug, actor)),
    }),
    route({
      method: 'POST',
      path: '/api/functions/:slug/database/import',
      access: WRITE,
      summary: 'Run a SQL script in one transaction (the body is the script itself)',
      params: slugParams,
      response: z.object({ success: z.literal(true), message: z.string() }),
      async handle({ params, actor, request }) {
        const row = await own(params.slug, actor);
        const bytes = await readBody(request, IMPORT_BODY_LIMIT);
        return importSql(cells, row, new TextDecoder().decode(bytes));
      },
    }),
  ];
}
