import { ErrorBody } from '../../../../../../contract/error-body.ts';
import type { ErrorCode } from '../../../../../../contract/errors.ts';

/** Next steps after an error. The message of the API says what happened; the next step names the tool that helps. */

/** The tool that failed, and the path of its endpoint. */
interface FailedTool {
  name: string;
  path: string;
}

type Step = (tool: FailedTool, refusal: ToolFailure) => string | undefined;

/** What is known about a refusal. */
export interface ToolFailure {
  status: number;
  code?: unknown;
  error?: unknown;
  scope?: unknown;
  currentVersion?: unknown;
  currentRevision?: unknown;
  conflicts?: unknown;
  retryAfter?: unknown;
}

const wait: Step = (_, { retryAfter }) =>
  retryAfter === undefined
    ? 'Wait a moment, then call the tool again.'
    : `Wait ${Number(retryAfter)} seconds, then call the tool again.`;

const STEPS: Record<ErrorCode, Step> = {
  BAD_REQUEST: ({ name }) => `Correct the arguments and call ${name} again.`,
  INVALID_SLUG: ({ name }) => `Choose another slug and call ${name} again.`,
  INVALID_SQL: ({ name }) => `Correct the statement and call ${name} again.`,
  UNAUTHORIZED: () => 'Ask your user to connect again.',
  INVALID_TOKEN: () => 'Ask your user to connect again.',
  INVALID_CREDENTIALS: () => 'Ask your user to connect again.',
  INSUFFICIENT_SCOPE: (_, { scope }) =>
    `Ask your user to connect you again with the scope ${typeof scope === 'string' ? scope : 'it needs'}, or for a token that has it (in the dashboard, under Account, Tokens).`,
  FORBIDDEN: (tool) => `Use something of your own: ${listTools(tool)}`,
  PROTECTED: () =>
    'Make a branch with create_branch, or find one with list_branches, and change the page with the id page.id. Look at it with check_page, try the merge with merge_branch and dry_run=true, and give your user merge_url: there they merge it. For a change of the HTML alone, save a draft with save_draft, which they can publish.',
  QUOTA_EXCEEDED: () => 'Delete what is not needed any more, or ask your user to get more space.',
  NOT_FOUND: (tool) => `See what exists: ${listTools(tool)}`,
  METHOD_NOT_ALLOWED: () => undefined,
  SLUG_TAKEN: ({ name }, { error }) =>
    String(error).includes('update_function')
      ? `Call update_function, or choose another slug and call ${name} again.`
      : `Choose another slug and call ${name} again.`,
  CONFLICT: ({ name, path }, { currentVersion, currentRevision, conflicts }) => {
    if (conflicts !== undefined)
      return `Look at each with list_branches and its path, and call ${name} again with take.`;
    if (currentRevision !== undefined)
      return `Read the draft with get_page, apply your change to it, and send revision ${Number(currentRevision)}.`;
    if (currentVersion === undefined) return undefined;
    return path.startsWith('/api/functions/')
      ? `Read the code with read_file, apply your change to it, and send ${name === 'update_function' ? 'baseVersion' : 'base_version'} ${Number(currentVersion)}.`
      : `Read the page with get_page, apply your change to it, and send base_version ${Number(currentVersion)}.`;
  },
  PAYLOAD_TOO_LARGE: ({ name }) => `Make it smaller and call ${name} again.`,
  UNSUPPORTED_MEDIA_TYPE: () => undefined,
  MISDIRECTED: () => undefined,
  DEPLOY_FAILED: ({ name }) => `Correct the code at this line and call ${name} again.`,
  VALIDATION_FAILED: ({ name }) =>
    `Read the schema with get_collection_schema, correct the record and call ${name} again.`,
  UPGRADE_REQUIRED: () => undefined,
  RATE_LIMITED: wait,
  TAKEN_DOWN: () => 'Tell your user. Only an administrator of the server can restore it.',
  INTERNAL: () => 'Try once more. If it fails again, tell your user the id.',
  NOT_INSTALLED: () => 'Tell your user what the server lacks, and go on without this tool.',
  UNAVAILABLE: wait,
  OUTCOME_UNKNOWN: () => 'Read the data to see whether it happened, before you call the tool again.',
  INSUFFICIENT_STORAGE: () => 'Tell your user that the disk of the server is full.',
};

/** Error codes by status, for our own responses to a function call, which have no code. */
const BY_STATUS: Record<number, ErrorCode> = {
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
  451: 'TAKEN_DOWN',
  503: 'UNAVAILABLE',
};

/** The next step after an error, as a sentence. */
export function nextStep(tool: FailedTool, refusal: ToolFailure): string | undefined {
  const { status, code = BY_STATUS[status] } = refusal;
  if (isKnown(code)) return STEPS[code](tool, refusal);
  return status >= 500
    ? 'Read why with read_function_logs, and correct the code with update_function.'
    : undefined;
}

function listTools({ path }: FailedTool): string {
  if (path.startsWith('/api/functions')) return 'call list_functions with mine=true.';
  if (path.includes('/:collection')) return 'call list_collections, and query_records.';
  if (path.includes('/team')) return 'call list_pages and list_team.';
  return 'call list_pages, or find_page with a slug.';
}

/** Errors whose message can quote an exception, somebody's schema, or what a trigger of a database says. */
const QUOTING: ReadonlySet<string> = new Set<ErrorCode>([
  'DEPLOY_FAILED',
  'INVALID_SQL',
  'VALIDATION_FAILED',
]);

/** Fields that contain our words and figures, or what the caller sent. */
const OUR_FIELDS: ReadonlySet<string> = new Set([...Object.keys(ErrorBody.shape), 'status', 'success']);

/** Whether an error can quote what others than the caller wrote. */
export function quotesOthers(failure: Record<string, unknown>): { inMessage: boolean; anywhere: boolean } {
  const { code } = failure;
  const inMessage = code !== undefined && (!isKnown(code) || QUOTING.has(code));
  return { inMessage, anywhere: inMessage || !Object.keys(failure).every((name) => OUR_FIELDS.has(name)) };
}

function isKnown(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(STEPS, code);
}
