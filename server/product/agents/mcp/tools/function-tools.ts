import { databaseEndpoints } from '../../../../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../../../../contract/functions/endpoints.ts';
import type { Stats } from '../../../../../contract/functions/statistics.ts';
import { callTool } from './call-tool.ts';
import { type Definition, tool } from './definition.ts';
import { continueWithOffset, cutList } from './results/cut.ts';
import { queryOnly, runScript } from './run-sql.ts';

const SLUG = { slug: { type: 'string' } };
const SQL = { type: 'string', description: "One statement in SQLite's dialect, with ? for params" };
const PARAMS = { type: 'array' };
const DESCRIPTION = 'the description of a function, which its owner wrote';
const ROWS = 'the rows of a database, which visitors may have written';
const SCHEDULES = {
  on: {
    type: 'array',
    description: '[{"collection":"x","actions":["create"]}]',
    items: {},
  },
  schedules: { type: 'array', description: '[{"cron":"0 3 * * *","timezone":"Europe/Berlin"}]', items: {} },
};
const continueStatement = () => 'Use LIMIT and OFFSET in the statement.';

/** Tools for functions, their databases, secrets and logs. */
const definitions: Definition[] = [
  tool(functionEndpoints.listFunctions, {
    name: 'list_functions',
    title: 'List functions',
    description: 'Lists your functions with mine=true, otherwise the public functions of all users.',
    effect: 'read',
    source: 'descriptions of functions, which their owners wrote',
    cut: cutList('functions', continueWithOffset),
    input: { q: '', order: '' },
  }),
  tool(functionEndpoints.getFunction, {
    name: 'get_function',
    title: 'Read about a function',
    description: 'Returns the owner, description, URL and schedules of a function.',
    effect: 'read',
    source: DESCRIPTION,
    input: SLUG,
  }),
  tool(functionEndpoints.getFunctionStats, {
    name: 'get_function_stats',
    title: 'Read statistics of a function',
    description: 'Returns calls, errors and durations.',
    effect: 'read',
    shape: withoutQuietTimes,
    input: { ...SLUG, range: '' },
  }),
  tool(functionEndpoints.listFunctionLogs, {
    name: 'read_function_logs',
    title: 'Read the logs of a function',
    description: 'Returns output, exceptions with stack traces and the result of each call, oldest first.',
    effect: 'read',
    source: "a function's log, which can contain what visitors sent",
    cut: cutList('logs', (kept) => `Continue with since=${kept.at(-1)?.timestamp}.`),
    hidden: ['follow'],
    input: {
      ...SLUG,
      limit: { type: 'integer', default: 100 },
      since: { type: 'string', description: 'ISO 8601 time' },
    },
  }),
  tool(functionEndpoints.listSecrets, {
    name: 'list_secrets',
    title: 'List secrets',
    description: 'Lists the names of secrets. Their values cannot be read.',
    effect: 'read',
    input: SLUG,
  }),
  {
    group: 'functions',
    name: 'query_database',
    title: 'Query a database',
    description:
      "Runs one SELECT, VALUES or WITH … SELECT on a function's database. Tables are in sqlite_master, columns in pragma_table_info('name').",
    effect: 'read',
    slow: 'The statement is running',
    source: ROWS,
    cut: cutList('results', continueStatement),
    input: { ...SLUG, sql: SQL, params: PARAMS },
    endpoints: [{ endpoint: databaseEndpoints.queryDatabase }],
    work: { required: ['slug', 'sql'], run: queryOnly },
  },
  tool(functionEndpoints.createFunction, {
    name: 'deploy_function',
    title: 'Deploy a function',
    description:
      'Deploys a new function. If it does not load, returns the line and creates nothing. enableDatabase gives it a database; useDatabase shares that of another function. schedules run its scheduled handler; on sends changed records to its queue, or a url.',
    effect: 'write',
    slow: 'Deploying the function',
    source: DESCRIPTION,
    input: {
      code: {
        type: 'string',
        description:
          'An ES module in JavaScript or TypeScript: export default { async fetch(request, env) { … } }. env.DB is its database (the API of D1, and transaction(async (tx) => …)); secrets are strings in env. env.QUEUE.send(message, { delaySeconds }) runs its queue(batch) later, with retries. On a page that calls it or lists it in functions, it has env.DATA.team(collection), env.DATA.social, env.MAIL.send (read_docs: More in env), and the header x-quire-user-name (percent-encoded). Packages: import { z } from "npm:zod@4"',
      },
      files: {
        type: 'object',
        description:
          'Modules: {"lib/x.ts":"…"}. migrations/0001_x.sql changes the database once, when deployed',
      },
      ...SCHEDULES,
      note: '',
      pageId: 'Its page. Needed for a branch',
    },
  }),
  tool(functionEndpoints.updateFunction, {
    name: 'update_function',
    title: 'Change a function',
    description:
      'Changes the given fields of a function. New code becomes a new version, if it loads. With baseVersion, fails if someone else has changed it. For a small change use edit_file.',
    effect: 'write',
    slow: 'Deploying the function',
    source: DESCRIPTION,
    input: {
      ...SLUG,
      code: '',
      files: 'All of them',
      ...SCHEDULES,
      aiDailyLimit: '',
      note: '',
      baseVersion: '',
    },
  }),
  callTool,
  tool(functionEndpoints.runFunctionSchedule, {
    name: 'run_schedule',
    title: 'Run a schedule now',
    description: 'Calls scheduled(controller, env, ctx) once, and returns its exception and what it printed.',
    effect: 'destructive',
    reachesOut: true,
    slow: 'The function is running',
    source: "a function's output, which its visitors may have written",
    more: 'Make the function print less.',
    input: { ...SLUG, cron: '' },
  }),
  tool(databaseEndpoints.queryDatabase, {
    name: 'execute_sql',
    title: 'Execute SQL',
    description: "Runs one SQL statement of any kind on a function's database.",
    effect: 'destructive',
    keeps: 'database',
    slow: 'The statement is running',
    source: ROWS,
    cut: cutList('results', continueStatement),
    input: { ...SLUG, sql: SQL, params: PARAMS },
  }),
  {
    group: 'functions',
    name: 'run_sql_script',
    title: 'Run a SQL script',
    description:
      "Runs statements, separated by semicolons, on a function's database in one transaction. Returns no rows.",
    effect: 'destructive',
    slow: 'The script is running',
    input: { ...SLUG, script: { type: 'string' } },
    endpoints: [{ endpoint: databaseEndpoints.importDatabase }],
    work: { required: ['slug', 'script'], run: runScript },
  },
  tool(functionEndpoints.setSecret, {
    name: 'set_secret',
    title: 'Set a secret',
    description: 'Sets a string that the function has in env; null deletes it.',
    effect: 'destructive',
    also: [{ given: 'value', is: null, endpoint: functionEndpoints.deleteSecret }],
    input: {
      ...SLUG,
      name: { type: 'string', description: 'Such as API_KEY' },
      value: { type: ['string', 'null'] },
    },
  }),
  tool(functionEndpoints.deleteFunction, {
    name: 'delete_function',
    title: 'Delete a function',
    description: 'Permanently deletes a function, and its database if no other function uses it.',
    effect: 'destructive',
    input: SLUG,
  }),
];
export const functionTools = definitions.map((each): Definition => ({ ...each, group: 'functions' }));

/** Leaves out the hours and days without calls. `stats` has the same hours again. */
function withoutQuietTimes({ stats: _, ...figures }: Stats) {
  return { ...figures, series: figures.series.filter(({ calls }) => calls > 0) };
}
