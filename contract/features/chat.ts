import { z } from 'zod';
import { list, shortText, text } from '../fields.ts';
import { inputSchemaFault } from '../rules/json/input-schema.ts';
import { byteLength } from '../rules/text.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of chats, and their limits. */

export const MAX_MESSAGES = 50;
const MAX_CHAT_BYTES = 100 * 1024;
/** The most bytes of all pictures of a chat. */
export const MAX_CHAT_PICTURE_BYTES = 10 * 1024 * 1024;
const MAX_CHAT_PICTURES = 4;
const MAX_CHAT_TOOLS = 16;
const MAX_TOOLS_BYTES = 32 * 1024;
const MAX_TOOL_DESCRIPTION = 1_000;
const MAX_CALLS = 16;
/** The tool with which some models give an answer by a schema. */
const ANSWER_TOOL = 'json';
/**
 * JSON can take six bytes for one byte of text. Base64 may be broken into lines of 76 letters, and JSON takes up to
 * four bytes for a line break.
 */
export const CHAT_BODY_LIMIT =
  6 * (MAX_CHAT_BYTES + MAX_TOOLS_BYTES) +
  Math.ceil((Math.ceil(MAX_CHAT_PICTURE_BYTES / 3) * 4 * 80) / 76) +
  128 * 1024;

const toolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, hyphens and underscores');

/** A JSON Schema of an object, with the words that tools of pages can have. */
const schema = z.record(z.string(), z.unknown()).superRefine((value, { addIssue }) => {
  const fault = inputSchemaFault(value);
  if (fault !== undefined) addIssue({ code: 'custom', message: fault });
});

const ChatTool = z.strictObject({
  name: toolName,
  description: shortText(MAX_TOOL_DESCRIPTION).default(''),
  parameters: schema.default({ type: 'object' }).meta({ description: 'The JSON Schema of its arguments.' }),
});

const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).meta({ description: 'The arguments as the model wrote them.' }),
});

const SentCall = z.strictObject({
  id: shortText(200),
  name: toolName,
  input: z.record(z.string(), z.unknown()).default({}),
});

const Message = z
  .strictObject({
    role: z.enum(['user', 'assistant', 'tool'], { error: 'must be user, assistant or tool' }),
    content: text(),
    images: list(z.string(), {
      max: MAX_CHAT_PICTURES,
      tooLong: rule('has more than {max} pictures', { max: MAX_CHAT_PICTURES }),
    })
      .optional()
      .meta({ description: 'Pictures for the model: URLs, or base64.' }),
    tool_calls: list(SentCall, {
      max: MAX_CALLS,
      tooLong: rule('has more than {max} calls', { max: MAX_CALLS }),
    })
      .optional()
      .meta({ description: 'The calls in an answer of the model, as it gave them.' }),
    tool_call_id: shortText(200).optional().meta({ description: 'The call that this is the result of.' }),
  })
  .refine(({ role, images }) => !images?.length || role === 'user', {
    path: ['images'],
    error: 'only messages of the user can have pictures',
  })
  .refine(({ role, tool_calls }) => !tool_calls?.length || role === 'assistant', {
    path: ['tool_calls'],
    error: 'only messages of the assistant can have calls',
  })
  .refine(({ role, tool_call_id }) => (role === 'tool') === (tool_call_id !== undefined), {
    path: ['tool_call_id'],
    error: 'must be there for the result of a tool, and for no other message',
  });
type Message = z.infer<typeof Message>;

const maxTokens = z
  .int('must be a whole number from 1 to 4096')
  .min(1, 'must be a whole number from 1 to 4096')
  .max(4096, 'must be a whole number from 1 to 4096')
  .default(1024);

const fields = {
  messages: list(Message, {
    max: MAX_MESSAGES,
    tooLong: rule('has more than {max} messages', { max: MAX_MESSAGES }),
  }).default([]),
  stream: z.boolean('must be true or false').default(false),
  maxTokens,
  model: shortText(200).optional().meta({ description: 'One of the models that the server offers.' }),
  tools: list(ChatTool, {
    max: MAX_CHAT_TOOLS,
    tooLong: rule('has more than {max} tools', { max: MAX_CHAT_TOOLS }),
  })
    .optional()
    .meta({ description: 'Functions of the page that the model can ask for.' }),
  response_format: schema.optional().meta({
    description:
      'The JSON Schema of the answer. The answer is then in `data`, and as JSON in `content`. If the model calls tools first, there is no `data` yet.',
  }),
};
const Chat = z.strictObject({ system_prompt: text(), ...fields });
type Chat = z.output<typeof Chat>;

/** Adds what has to hold for a chat as a whole. */
const sound = <Body extends z.ZodType<Chat>>(body: Body): Body =>
  body
    .refine(
      ({ system_prompt, messages }: Chat) =>
        messages.reduce((sum, message) => sum + messageBytes(message), byteLength(system_prompt)) <=
        MAX_CHAT_BYTES,
      rule('must have at most {max} bytes in all', { max: MAX_CHAT_BYTES }),
    )
    .refine(({ messages }: Chat) => countPictures(messages) <= MAX_CHAT_PICTURES, {
      path: ['messages'],
      error: rule('has more than {max} pictures', { max: MAX_CHAT_PICTURES }),
    })
    .refine(({ tools }: Chat) => byteLength(JSON.stringify(tools ?? [])) <= MAX_TOOLS_BYTES, {
      path: ['tools'],
      error: rule('must have at most {max} bytes in all', { max: MAX_TOOLS_BYTES }),
    })
    .refine(({ tools = [] }: Chat) => new Set(tools.map(({ name }) => name)).size === tools.length, {
      path: ['tools'],
      error: 'must have different names',
    })
    .refine(
      ({ tools = [], response_format }: Chat) =>
        response_format === undefined || tools.every(({ name }) => name !== ANSWER_TOOL),
      {
        path: ['tools'],
        error: rule('must not be named {name} beside response_format', { name: ANSWER_TOOL }),
      },
    )
    .refine(({ messages }: Chat) => areResultsKnown(messages), {
      path: ['messages'],
      error: 'has the result of a call that the messages before it do not have',
    });

export const ChatBody = sound(
  z.strictObject({
    system_prompt: text().refine((value) => value.trim() !== '', 'must not be empty'),
    ...fields,
  }),
);
export type ChatBody = z.infer<typeof ChatBody>;

/** What a function sends with `env.AI.chat`. Its instructions may be missing. */
export const FunctionChat = sound(z.strictObject({ system_prompt: text().default(''), ...fields })).refine(
  ({ system_prompt, messages }) => messages.length > 0 || system_prompt.trim() !== '',
  { path: ['messages'], error: 'must not be empty' },
);

const messageBytes = ({ content, tool_calls }: Message) =>
  byteLength(content) + (tool_calls ? byteLength(JSON.stringify(tool_calls)) : 0);

const countPictures = (messages: Message[]) =>
  messages.reduce((sum, { images }) => sum + (images?.length ?? 0), 0);

function areResultsKnown(messages: Message[]): boolean {
  const known = new Set<string>();
  return messages.every(({ tool_calls = [], tool_call_id }) => {
    for (const { id } of tool_calls) known.add(id);
    return tool_call_id === undefined || known.has(tool_call_id);
  });
}

/** The credits that a use of a feature has cost. */
export const Credits = z.object({ deducted: z.number(), remaining: z.number() });

const data = z.record(z.string(), z.unknown()).optional().meta({
  description: 'With `response_format`: the answer as an object, unless the model calls tools first.',
});

export const ChatAnswer = z.object({
  success: z.literal(true),
  content: z.string(),
  data,
  tool_calls: z
    .array(ToolCall)
    .optional()
    .meta({ description: 'What the model asks for. Send the results as messages with the role tool.' }),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
  credits: Credits,
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;

/** The data of each event in a streamed chat. */
export const ChatEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('delta'), content: z.string() }),
  z.object({ type: z.literal('tool_call'), ...ToolCall.shape }),
  z.object({ type: z.literal('done'), data, usage: ChatAnswer.shape.usage, credits: Credits }),
  z.object({ type: z.literal('error'), error: z.string(), message: z.string().optional() }),
]);
export type ChatEvent = z.infer<typeof ChatEvent>;

/** A model that the server offers to visitors. */
const OfferedModel = z.object({
  name: z.string(),
  price: z.number().meta({ description: 'Credits for 1,000 tokens.' }),
  default: z.boolean().meta({ description: 'Whether it answers if no model is named.' }),
});
export const ModelsAnswer = z.object({ success: z.literal(true), models: z.array(OfferedModel) });
export type ModelsAnswer = z.infer<typeof ModelsAnswer>;
