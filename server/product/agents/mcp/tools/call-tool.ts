import { callEndpoints } from '../../../../../contract/functions/call-endpoints.ts';
import { TEST_AS_PARAM } from '../../../../../contract/functions/call-tickets.ts';
import { OWN_ANSWER_HEADER, type TestedCall } from '../../../../../contract/functions/functions.ts';
import { AppError } from '../../../../lib/errors.ts';
import type { Api, Definition, Input, Outcome } from './definition.ts';
import { readFunctionResponse } from './results/function-response.ts';
import { parseShallow } from './results/shallow.ts';

/** The scope with which owners see what their code printed and threw. */
const INSIGHT_SCOPE = 'functions:read';

/** The tool that calls a function. Owners also see what their code printed and threw. */
export const callTool: Definition = {
  group: 'functions',
  name: 'call_function',
  title: 'Call a function',
  description:
    'Calls a public function, or one of yours, with a JSON body. Your own also returns the exception with its stack and what the call printed. It can do anything that its code does.',
  effect: 'destructive',
  reachesOut: true,
  slow: 'The function is running',
  source: "a function's response and output, which its owner and its visitors may have written",
  more: 'Make the function return less.',
  endpoints: [{ endpoint: callEndpoints.callFunction }],
  input: {
    slug: { type: 'string' },
    body: { description: 'Any JSON. Default: {}' },
    as: {
      type: 'string',
      description: 'Test as a visitor of its page: owner, nobody or a member’s username',
    },
  },
  work: {
    required: ['slug'],
    fields: ['status', 'contentType', 'body', 'note', 'exception', 'logs', 'retryAfter'],
    // Anyone can call a public function, but a read-only token should not cause side effects.
    scope: 'functions:write',
    run: callFunction,
  },
};

async function callFunction(input: Input, api: Api): Promise<Response | Outcome> {
  const { slug, body: json = {}, as } = input;
  const isForOwners = api.scopes.includes(INSIGHT_SCOPE);
  if (as !== undefined && !isForOwners)
    throw new AppError(
      'INSUFFICIENT_SCOPE',
      'The tool {name} needs a token with the scope {scope}.',
      { name: callTool.name, scope: INSIGHT_SCOPE },
      { body: { scope: INSIGHT_SCOPE } },
    );
  if (isForOwners) {
    const query = as === undefined ? {} : { [TEST_AS_PARAM]: String(as) };
    const tested = await api.request(callEndpoints.testFunction, { params: { slug }, query, json });
    // A call as somebody must not become one that anyone could make.
    if (as !== undefined || !isOthers(tested)) return tested.ok ? describeTest(tested) : tested;
  }
  const response = await api.request(callEndpoints.callFunction, { params: { slug }, json });
  if (response.headers.has(OWN_ANSWER_HEADER)) return response;
  const wait = response.headers.get('retry-after');
  const retry = wait === null ? {} : { retryAfter: Number(wait) };
  return { data: { ...(await readFunctionResponse(response)), ...retry }, isError: !response.ok };
}

/** Whether the response says that the function belongs to someone else, and was not called. */
const isOthers = ({ status }: Response) => status === 403 || status === 404;

/** What an owner sees of a call of their own function. */
async function describeTest(response: Response): Promise<Outcome> {
  const { status, headers, body, bodyTruncated, exception, logs } = (await response.json()) as TestedCall;
  const note = describeBody(body, bodyTruncated);
  const data = {
    status,
    contentType: headers['content-type'] ?? null,
    body: body !== null && !bodyTruncated ? parseShallow(body) : body,
    ...(note && { note }),
    exception,
    logs,
  };
  const lead = exception
    ? 'The function threw an exception. Correct the code with edit_file or update_function.'
    : undefined;
  return { data, isError: status >= 400, lead };
}

function describeBody(body: string | null, isCut: boolean): string | undefined {
  if (body === null) return 'The body is not text.';
  return isCut ? 'The response is longer, or did not end in time. The rest was not read.' : undefined;
}
