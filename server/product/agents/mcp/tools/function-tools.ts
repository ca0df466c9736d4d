import { callEndpoints } from '../../../../../contract/functions/call-endpoints.ts';
import { databaseEndpoints } from '../../../../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../../../../contract/functions/endpoints.ts';
import { functionVersionEndpoints } from '../../../../../contract/functions/version-endpoints.ts';
import { isReading } from '../../../../../contract/rules/sql-statements.ts';
import { type Definition, tool } from './definition.ts';

const SLUG = { slug: { type: 'string', description: 'The slug of the function.' } };
const CODE = {
  type: 'string',
  description:
    'An ES module in JavaScript or TypeScript, at most 1 MB: export default { async fetch(request, env) { … } }. env.DB is its database; secrets are strings in env. It imports packages with a version, import { z } from "npm:zod@4", and modules in files by their path.',
};
const SQL = {
  type: 'string',
  description: "One statement in SQLite's dialect, at most 100 KB, with ? for params.",
};
const PARAMS = { type: 'array', description: 'Values for the ? in the statement.' };
const DESCRIPTION = 'the description of a function, which its owner wrote';
const ROWS = 'the rows of a database, which visitors may have written';

/** Tools for functions, their databases, secrets and logs. */
export const functionTools: Definition[] = [
  tool(functionEndpoints.listFunctions, {
    name: 'list_functions',
    title: 'List functions',
    description: 'Lists your functions with mine=true, otherwise the public functions of all users.',
    effect: 'read',
    source: 'descriptions of functions, which their owners wrote',
    more: 'Use a smaller limit, and continue with offset.',
    input: {
      q: { type: 'string', description: 'Only functions whose slug, name or description contains this.' },
    },
  }),
  tool(functionEndpoints.getFunction, {
    name: 'get_function',
    title: 'Read about a function',
    description: 'Returns the owner, description and URL of a function, and whether it has a database.',
    effect: 'read',
    source: DESCRIPTION,
    input: SLUG,
  }),
  tool(functionEndpoints.getFunctionCode, {
    name: 'get_function_code',
    title: 'Read the code of a function',
    description: 'Returns the code and the files of one of your functions.',
    effect: 'read',
    source: 'the code of a function',
    input: SLUG,
  }),
  tool(functionVersionEndpoints.listFunctionVersions, {
    name: 'list_function_versions',
    title: 'List the versions of a function',
    description: 'Lists the versions of one of your functions, newest first. The last 50 are kept.',
    effect: 'read',
    source: 'notes on the versions of a function',
    input: SLUG,
  }),
  tool(functionVersionEndpoints.getFunctionVersion, {
    name: 'get_function_version',
    title: 'Read a version of a function',
    description: 'Returns the code and the files of one version of one of your functions.',
    effect: 'read',
    source: 'the code of a function, and a note on it',
    input: { ...SLUG, version: { type: 'integer' } },
  }),
  tool(functionEndpoints.getFunctionStats, {
    name: 'get_function_stats',
    title: 'Read statistics of a function',
    description: 'Returns calls, errors, durations and their percentiles for 24 hours, 7 or 30 days.',
    effect: 'read',
    input: SLUG,
  }),
  tool(functionEndpoints.listFunctionLogs, {
    name: 'read_function_logs',
    title: 'Read the logs of a function',
    description:
      'Returns the console output of one of your functions, its exceptions with stack traces, and the result of each call, oldest first.',
    effect: 'read',
    source: "a function's log, which can contain what visitors sent",
    more: 'Use a smaller limit, or since.',
    hidden: ['follow'],
    input: {
      ...SLUG,
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      since: { type: 'string', description: 'Only entries after this ISO 8601 time.' },
    },
  }),
  tool(functionEndpoints.listSecrets, {
    name: 'list_secrets',
    title: 'List secrets',
    description: 'Lists the names of the secrets of a function. Their values cannot be read.',
    effect: 'read',
    input: SLUG,
  }),
  tool(databaseEndpoints.queryDatabase, {
    name: 'query_database',
    title: 'Query a database',
    description:
      "Runs one read-only statement (SELECT, VALUES or WITH … SELECT) on a function's database. Other statements are rejected; use execute_sql for them. Tables are in sqlite_master, columns in pragma_table_info('name').",
    effect: 'read',
    slow: 'The statement is running',
    source: ROWS,
    more: 'Use LIMIT and OFFSET in the statement.',
    input: { ...SLUG, sql: SQL, params: PARAMS },
    refuse: ({ sql }) =>
      typeof sql !== 'string' || isReading(sql)
        ? undefined
        : 'query_database takes one SELECT, VALUES or WITH … SELECT, with ? for values. Use execute_sql for anything else.',
  }),
  tool(functionEndpoints.createFunction, {
    name: 'deploy_function',
    title: 'Deploy a function',
    description:
      'Deploys a new function and loads it. If it does not load, returns the line and column (and the file), and creates nothing. enableDatabase gives it a database; useDatabase shares the database of another of your functions. schedules run its scheduled handler, at most once a minute: [{ cron: "0 3 * * *", timezone: "Europe/Berlin" }].',
    effect: 'write',
    slow: 'Deploying the function',
    source: DESCRIPTION,
    input: { code: CODE },
  }),
  tool(functionEndpoints.updateFunction, {
    name: 'update_function',
    title: 'Change a function',
    description:
      'Changes the given fields of a function. New code is loaded before it replaces the old code, which is kept as a version. With baseVersion, the change is rejected if someone else has changed the function.',
    effect: 'write',
    slow: 'Deploying the function',
    source: DESCRIPTION,
    input: {
      ...SLUG,
      code: CODE,
      baseVersion: { type: 'integer', description: 'The version that your change is based on.' },
    },
  }),
  tool(functionVersionEndpoints.restoreFunctionVersion, {
    name: 'restore_function_version',
    title: 'Restore a version of a function',
    description:
      'Restores the code of an earlier version as a new version. If it no longer loads, the current one keeps serving. Secrets and the database stay as they are.',
    effect: 'write',
    slow: 'Deploying the function',
    input: { ...SLUG, version: { type: 'integer' } },
  }),
  tool(callEndpoints.callFunction, {
    name: 'call_function',
    title: 'Call a function',
    description:
      'Calls any public function, or one of yours, with a JSON body, and returns status, contentType and body. For your own function, with the scope functions:read, it also returns the exception with its stack and what this call printed. The function can do anything that its code does.',
    effect: 'destructive',
    // Anyone can call a public function, but a read-only token should not cause side effects.
    scope: 'functions:write',
    reachesOut: true,
    slow: 'The function is running',
    source: "a function's response and output, which its owner and its visitors may have written",
    more: 'Make the function return less.',
    wholeBody: 'body',
    forOwners: { endpoint: callEndpoints.testFunction, scope: 'functions:read' },
    input: { ...SLUG, body: { description: 'Any JSON value. Default: {}.' } },
  }),
  tool(functionEndpoints.runFunctionSchedule, {
    name: 'run_schedule',
    title: 'Run a schedule now',
    description:
      "Runs one of your functions as its schedule does: calls the module's scheduled(controller, env, ctx) once, and returns the result, the exception with its stack and what the run printed. Schedules are set with deploy_function or update_function.",
    effect: 'destructive',
    reachesOut: true,
    slow: 'The function is running',
    source: "a function's output, which its visitors may have written",
    more: 'Make the function print less.',
    input: SLUG,
  }),
  tool(databaseEndpoints.queryDatabase, {
    name: 'execute_sql',
    title: 'Execute SQL',
    description:
      "Runs one SQL statement of any kind on a function's database. It can change or drop everything in it.",
    effect: 'destructive',
    slow: 'The statement is running',
    source: ROWS,
    more: 'Use LIMIT and OFFSET in the statement.',
    input: { ...SLUG, sql: SQL, params: PARAMS },
  }),
  tool(databaseEndpoints.importDatabase, {
    name: 'run_sql_script',
    title: 'Run a SQL script',
    description:
      "Runs a script of SQL statements, separated by semicolons, on a function's database in one transaction: all of them, or none. Use it to create tables and to import data. It returns no rows.",
    effect: 'destructive',
    slow: 'The script is running',
    textBody: { argument: 'script', type: 'application/sql' },
    input: { ...SLUG, script: { type: 'string', description: "Statements in SQLite's dialect." } },
  }),
  tool(functionEndpoints.setSecret, {
    name: 'set_secret',
    title: 'Set a secret',
    description: 'Sets a string that the function has in env from its next call. Replaces the current value.',
    effect: 'destructive',
    input: { ...SLUG, name: { type: 'string', description: 'For example API_KEY: A-Z, 0-9 and _.' } },
  }),
  tool(functionEndpoints.deleteSecret, {
    name: 'delete_secret',
    title: 'Delete a secret',
    description: 'Deletes a secret of a function.',
    effect: 'destructive',
    input: SLUG,
  }),
  tool(functionEndpoints.deleteFunction, {
    name: 'delete_function',
    title: 'Delete a function',
    description: 'Permanently deletes a function, and its database if no other function uses it.',
    effect: 'destructive',
    input: SLUG,
  }),
];
