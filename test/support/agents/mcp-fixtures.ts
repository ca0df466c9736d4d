import { createHmac } from 'node:crypto';
import type {
  CallToolResult,
  ContentBlock,
  InputRequests,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { AppError } from '../../../server/lib/errors.ts';
import type { Offer } from '../../../server/product/agents/index.ts';

/** What the official conformance suite expects a server to offer. Only the test that runs it adds this to ours. */

type Outcome = Awaited<ReturnType<Offer<unknown>['tools']['call']>>;
type Run = (context: ServerContext) => Outcome | Promise<Outcome>;

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, text: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
});
const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const shows = (...content: ContentBlock[]): CallToolResult => ({ content });

const ask = (message: string, field: string, type = 'string') => ({
  method: 'elicitation/create' as const,
  params: {
    mode: 'form' as const,
    message,
    requestedSchema: { type: 'object' as const, properties: { [field]: { type } }, required: [field] },
  },
});
const sample = (text: string) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }], maxTokens: 100 },
});
const ROOTS = { method: 'roots/list' as const, params: {} };

const SECRET = 'only for tests';
const sign = (state: string) => `${state}.${createHmac('sha256', SECRET).update(state).digest('hex')}`;

function readState({ mcpReq }: ServerContext): string | undefined {
  const given = mcpReq.requestState();
  if (given === undefined) return undefined;
  const [state = ''] = String(given).split('.');
  if (given !== sign(state)) throw new AppError('BAD_REQUEST', 'The state is not ours.');
  return state;
}

/** Asks once, and answers when every question has an answer. */
const asking =
  (requests: Record<string, unknown>, answer: (context: ServerContext) => string, state?: string): Run =>
  (context) => {
    const { inputResponses = {} } = context.mcpReq;
    const isAnswered = Object.keys(requests).every((name) => Object.hasOwn(inputResponses, name));
    const isOurs = state === undefined || readState(context) === state;
    if (isAnswered && isOurs) return said(answer(context));
    return inputRequired({
      inputRequests: requests as InputRequests,
      ...(state !== undefined && { requestState: sign(state) }),
    });
  };

const nameIn = ({ mcpReq }: ServerContext) =>
  acceptedContent<{ name?: unknown }>(mcpReq.inputResponses, 'user_name')?.name;

const elicitation: Run = (context) => {
  const name = nameIn(context);
  if (typeof name === 'string') return said(`Hello, ${name}!`);
  return inputRequired({
    inputRequests: { user_name: ask('What is your name?', 'name') } as InputRequests,
  });
};

const rounds: Run = (context) => {
  const { inputResponses = {} } = context.mcpReq;
  const state = readState(context);
  if (state === 'two' && Object.hasOwn(inputResponses, 'step2')) return said('Done.');
  const isSecond = state === 'one' && Object.hasOwn(inputResponses, 'step1');
  const inputRequests = isSecond
    ? { step2: ask('Step 2: What is your favorite color?', 'color') }
    : { step1: ask('Step 1: What is your name?', 'name') };
  return inputRequired({
    inputRequests: inputRequests as InputRequests,
    requestState: sign(isSecond ? 'two' : 'one'),
  });
};

const supported: Run = ({ mcpReq }) => {
  const envelope = mcpReq.envelope as Record<string, Record<string, unknown> | undefined> | undefined;
  const declared = envelope?.['io.modelcontextprotocol/clientCapabilities'];
  const inputRequests = {
    ...(declared?.sampling !== undefined && { question: sample('What is the capital of France?') }),
    ...(declared?.elicitation !== undefined && { name: ask('What is your name?', 'name') }),
  };
  return Object.keys(inputRequests).length === 0
    ? said('There is nothing to ask.')
    : inputRequired({ inputRequests: inputRequests as InputRequests });
};

const STEP_MS = 50;

const logging: Run = async ({ mcpReq }) => {
  for (const text of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', text);
    await Bun.sleep(STEP_MS);
  }
  return said('Logged.');
};

const progressing: Run = async ({ mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    const params = { progressToken: progressToken ?? '', progress, total: 100 };
    if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
    await Bun.sleep(STEP_MS);
  }
  return said('Progressed.');
};

const RUNS: Record<string, Run> = {
  test_simple_text: () => said('This is a simple text response for testing.'),
  test_image_content: () => shows(image),
  test_audio_content: () => shows({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    shows(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: () =>
    shows(
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_tool_with_logging: logging,
  test_logging_tool: logging,
  test_tool_with_progress: progressing,
  test_error_handling: () => ({
    ...said('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  json_schema_2020_12_tool: () => said('Valid.'),
  test_missing_capability: asking({ question: sample('What is the capital of France?') }, () => 'Paris'),
  test_streaming_elicitation: asking({ name: ask('What is your name?', 'name') }, () => 'Hello!'),
  test_input_required_result_elicitation: elicitation,
  test_input_required_result_sampling: asking(
    { capital_question: sample('What is the capital of France?') },
    ({ mcpReq }) => JSON.stringify(mcpReq.inputResponses?.capital_question),
  ),
  test_input_required_result_list_roots: asking({ client_roots: ROOTS }, ({ mcpReq }) =>
    JSON.stringify(mcpReq.inputResponses?.client_roots),
  ),
  test_input_required_result_request_state: asking(
    { confirm: ask('Please confirm', 'ok', 'boolean') },
    () => 'state-ok',
    'confirm',
  ),
  test_input_required_result_multiple_inputs: asking(
    {
      user_name: ask('What is your name?', 'name'),
      greeting: sample('Generate a greeting'),
      client_roots: ROOTS,
    },
    () => 'Thanks.',
    'several',
  ),
  test_input_required_result_multi_round: rounds,
  test_input_required_result_tampered_state: asking(
    { confirm: ask('Please confirm', 'ok', 'boolean') },
    () => 'state-ok',
    'tampered',
  ),
  test_input_required_result_capabilities: supported,
};

const EVERY_KEYWORD: Tool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const TOOLS: Tool[] = Object.keys(RUNS).map((name) => ({
  name,
  description: 'A tool of the conformance suite.',
  inputSchema: name === 'json_schema_2020_12_tool' ? EVERY_KEYWORD : { type: 'object' },
}));

const RESOURCES = [
  { uri: 'test://static-text', name: 'text', description: 'A text.', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'binary', description: 'A picture.', mimeType: 'image/png' },
];

function readFixture(uri: string) {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PIXEL };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: 'application/json', text };
}

type PromptMessage = { role: 'user'; content: ContentBlock };
const user = (content: ContentBlock): PromptMessage => ({ role: 'user', content });
const text = (words: string): ContentBlock => ({ type: 'text', text: words });

const PROMPTS: Record<string, (input: Record<string, string>) => PromptMessage[]> = {
  test_simple_prompt: () => [user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
    user(text('Please process the embedded resource above.')),
  ],
  test_prompt_with_image: () => [user(image), user(text('Please analyze the image above.'))],
  test_input_required_result_prompt: () => [user(text('With the context.'))],
};

/** Our offer, with what the suite expects in addition. */
export function withFixtures<Caller>(offer: Offer<Caller>): Offer<Caller> {
  const { tools, resources, prompts, complete = async () => [] } = offer;
  if (!resources) throw new Error('the offer has no resources');
  return {
    ...offer,
    capabilities: { logging: {} },
    complete,
    tools: {
      list: (caller) => [...tools.list(caller), ...TOOLS],
      call: async (name, input, exchange) =>
        RUNS[name]?.(exchange.context) ?? tools.call(name, input, exchange),
    },
    resources: {
      templates: [...resources.templates, { uriTemplate: 'test://template/{id}/data', name: 'template' }],
      async list(cursor, exchange) {
        const list = await resources.list(cursor, exchange);
        return cursor === undefined ? { ...list, resources: [...list.resources, ...RESOURCES] } : list;
      },
      async read(uri, exchange) {
        const found = readFixture(uri);
        return found ? { contents: [found] } : resources.read(uri, exchange);
      },
    },
    prompts: {
      list: [
        ...(prompts?.list ?? []),
        ...Object.keys(PROMPTS).map((name) => ({ name, description: 'A prompt.' })),
      ],
      async get(name, input, exchange) {
        const { inputResponses } = exchange.context.mcpReq;
        if (name === 'test_input_required_result_prompt' && inputResponses === undefined) {
          const question = ask('What context should the prompt use?', 'context');
          return inputRequired({ inputRequests: { user_context: question } as InputRequests });
        }
        const messages = PROMPTS[name]?.(input);
        if (messages) return { messages };
        if (prompts) return prompts.get(name, input, exchange);
        throw new AppError('NOT_FOUND', 'There is no such prompt.');
      },
    },
  };
}
