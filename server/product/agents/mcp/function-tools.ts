import { isReading } from '../../../../contract/sql-statements.ts';
import type { Definition } from './definition.ts';

const SLUG = { slug: { type: 'string', description: 'The slug of the function.' } };
const CODE = {
  type: 'string',
  description:
    'A JavaScript ES module, at most 1 MB: export default { async fetch(request, env) { … } }. env.DB is its database, secrets are strings in env.',
};
const SQL = {
  type: 'string',
  description: "One statement in SQLite's dialect, at most 100 KB, with ? for params.",
};
const PARAMS = { type: 'array', description: 'Values for the ? in the statement.' };
const ROWS = 'the rows of a database, which visitors may have written';

/** Functions, their databases, secrets and logs. */
export const functionTools: Definition[] = [
  {
    name: 'list_functions',
    title: 'List functions',
    description: 'Your functions with mine=true, else the public ones of everybody.',
    method: 'GET',
    path: '/api/functions',
    effect: 'read',
    source: 'descriptions of functions, which their owners wrote',
    more: 'Ask for less with limit, and go on with offset.',
    input: {
      q: { type: 'string', description: 'Only functions whose slug, name or description contains this.' },
    },
  },
  {
    name: 'get_function',
    title: 'Read about a function',
    description: 'What is known of a function: owner, description, address, whether it has a database.',
    method: 'GET',
    path: '/api/functions/:slug',
    effect: 'read',
    source: 'the description of a function, which its owner wrote',
    input: SLUG,
  },
  {
    name: 'get_function_code',
    title: 'Read the code of a function',
    description: 'The code of one of your functions.',
    method: 'GET',
    path: '/api/functions/:slug/code',
    effect: 'read',
    source: 'the code of a function',
    input: SLUG,
  },
  {
    name: 'get_function_stats',
    title: 'Read statistics of a function',
    description: 'Calls, errors and durations by hour, of the last seven days.',
    method: 'GET',
    path: '/api/functions/:slug/stats',
    effect: 'read',
    input: SLUG,
  },
  {
    name: 'read_function_logs',
    title: 'Read the logs of a function',
    description:
      'What one of your functions printed, its exceptions with stacks, and how its calls went, oldest first.',
    method: 'GET',
    path: '/api/functions/:slug/logs',
    effect: 'read',
    source: "a function's log, which may repeat what visitors sent",
    more: 'Ask for less with limit or since.',
    hidden: ['follow'],
    input: {
      ...SLUG,
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      since: { type: 'string', description: 'Only what came after this ISO 8601 moment.' },
    },
  },
  {
    name: 'list_secrets',
    title: 'List secrets',
    description: 'The names of the secrets of a function. Nobody can read their values.',
    method: 'GET',
    path: '/api/functions/:slug/secrets',
    effect: 'read',
    input: SLUG,
  },
  {
    name: 'query_database',
    title: 'Query a database',
    description:
      "Runs one reading statement (SELECT, VALUES or WITH … SELECT) on a function's database. Whatever could change something is refused: that is for execute_sql. The tables are in sqlite_master, columns in pragma_table_info('name').",
    method: 'POST',
    path: '/api/functions/:slug/database',
    effect: 'read',
    source: ROWS,
    more: 'Ask for less with LIMIT and OFFSET in the statement.',
    input: { ...SLUG, sql: SQL, params: PARAMS },
    refuse: ({ sql }) =>
      typeof sql !== 'string' || isReading(sql)
        ? undefined
        : 'query_database takes one SELECT, VALUES or WITH … SELECT, with ? for values. Use execute_sql for anything else.',
  },
  {
    name: 'deploy_function',
    title: 'Deploy a function',
    description:
      'Deploys a new function and loads it: a mistake is answered with line and column, and nothing is made. enableDatabase gives it a database, useDatabase shares that of another function of yours.',
    method: 'POST',
    path: '/api/functions',
    effect: 'write',
    input: { code: CODE },
  },
  {
    name: 'update_function',
    title: 'Change a function',
    description:
      'Changes the given fields of a function. New code is loaded before it takes over; old code is not kept.',
    method: 'PATCH',
    path: '/api/functions/:slug',
    effect: 'destructive',
    input: { ...SLUG, code: CODE },
  },
  {
    name: 'call_function',
    title: 'Call a function',
    description:
      'Calls any public function, or one of yours, with a JSON body, and returns status, contentType and body. It does whatever its code does.',
    method: 'POST',
    path: '/api/functions/:slug',
    effect: 'destructive',
    // Anybody may call a public function, but with a token that is meant to read nobody should make things happen.
    scope: 'functions:write',
    reachesOut: true,
    source: "a function's answer, which its owner and its visitors may have written",
    more: 'Have the function answer less.',
    wholeBody: 'body',
    input: { ...SLUG, body: { description: 'Any JSON value; {} unless given.' } },
  },
  {
    name: 'execute_sql',
    title: 'Execute SQL',
    description:
      "Runs one SQL statement of any kind on a function's database: it may change or drop everything in it.",
    method: 'POST',
    path: '/api/functions/:slug/database',
    effect: 'destructive',
    source: ROWS,
    more: 'Ask for less with LIMIT and OFFSET in the statement.',
    input: { ...SLUG, sql: SQL, params: PARAMS },
  },
  {
    name: 'set_secret',
    title: 'Set a secret',
    description:
      'Sets a string that the function has in env from its next call on. Replaces the one there is.',
    method: 'PUT',
    path: '/api/functions/:slug/secrets/:name',
    effect: 'destructive',
    input: { ...SLUG, name: { type: 'string', description: 'Like API_KEY: A-Z, 0-9 and _.' } },
  },
  {
    name: 'delete_secret',
    title: 'Delete a secret',
    description: 'Removes a secret of a function.',
    method: 'DELETE',
    path: '/api/functions/:slug/secrets/:name',
    effect: 'destructive',
    input: SLUG,
  },
  {
    name: 'delete_function',
    title: 'Delete a function',
    description: 'Removes a function, and its database when no other function uses it, for good.',
    method: 'DELETE',
    path: '/api/functions/:slug',
    effect: 'destructive',
    input: SLUG,
  },
];
