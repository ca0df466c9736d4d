import { databaseEndpoints } from '../../../../../contract/functions/database-endpoints.ts';
import { isReading } from '../../../../../contract/rules/sql-statements.ts';
import { AppError, badRequest } from '../../../../lib/errors.ts';
import type { Api, Input } from './definition.ts';

/** Runs a statement that only reads. */
export async function queryOnly({ slug, ...query }: Input, api: Api): Promise<Response> {
  if (typeof query.sql === 'string' && !isReading(query.sql))
    throw new AppError(
      'BAD_REQUEST',
      'query_database takes one SELECT, VALUES or WITH … SELECT, with ? for values. Use execute_sql for anything else.',
    );
  const { from: _, ...json } = query;
  return api.request(databaseEndpoints.queryDatabase, { params: { slug }, json });
}

/** Runs a script of many statements. */
export async function runScript({ slug, script }: Input, api: Api): Promise<Response> {
  if (typeof script !== 'string') throw badRequest([{ path: 'script', message: 'must be a string' }]);
  const type = 'application/sql';
  return api.request(databaseEndpoints.importDatabase, { params: { slug }, body: script, type });
}
