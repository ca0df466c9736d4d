import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AspectRatio,
  ChatProvider,
  ChatRequest,
  ImageProvider,
  ToolCall,
  TurnPart,
} from '../provider.ts';
import { estimateTokens } from '../usage.ts';
import { drawPicture, type Size } from './drawing.ts';
import { sampleValue } from './sample.ts';

const WORD_DELAY_MS = 4;
const QUOTED_LENGTH = 300;

const SIZES: Record<AspectRatio, Size> = {
  '1:1': { width: 1024, height: 1024 },
  '16:9': { width: 1280, height: 720 },
  '9:16': { width: 720, height: 1280 },
  '4:3': { width: 1152, height: 864 },
  '3:4': { width: 864, height: 1152 },
};

/** Works offline, gives the same answer to the same question, and says that it is not a model. */
export const demoChat: ChatProvider = { chat: streamAnswer };

/** Draws shapes and colours derived from the prompt. */
export const demoImages: ImageProvider = {
  generate: ({ prompt, aspectRatio }) => drawPicture(prompt, SIZES[aspectRatio]),
};

async function* streamAnswer(request: ChatRequest): AsyncGenerator<TurnPart> {
  const { system, messages, maxTokens, signal } = request;
  const call = composeCall(request);
  if (call) yield { type: 'tool call', call };
  let written = call ? JSON.stringify(call.input) : '';
  for (const word of call ? [] : (composeText(request).match(/\S+\s*/g) ?? [])) {
    if (estimateTokens(written + word) > maxTokens) break;
    await sleep(WORD_DELAY_MS, undefined, { signal });
    written += word;
    yield { type: 'text', text: word };
  }
  const texts = messages.map((message) => (message.role === 'tool' ? '' : message.content));
  yield {
    type: 'usage',
    inputTokens: estimateTokens([system, ...texts].join('')),
    outputTokens: estimateTokens(written),
  };
}

/** Calls a tool once: the one that the last message names, or else the first. */
function composeCall({ messages, tools = [] }: ChatRequest): ToolCall | undefined {
  const last = messages.at(-1);
  if (last && last.role !== 'user') return undefined;
  const tool = tools.find(({ name }) => last?.content.includes(name)) ?? tools[0];
  if (!tool) return undefined;
  const input = sampleValue({ type: 'object', ...tool.inputSchema }) as Record<string, unknown>;
  return { id: `demo-${messages.length}`, name: tool.name, input };
}

function composeText({ system, messages, responseFormat }: ChatRequest): string {
  return responseFormat ? JSON.stringify(sampleValue(responseFormat)) : composeAnswer(system, messages);
}

function composeAnswer(system: string, messages: ChatRequest['messages']): string {
  const intro = "This is Quire's built-in demo provider, not a language model: it works without a network.";
  const outro = 'An administrator can connect a real model: Administration, Providers.';
  const question = messages.findLast((message) => message.role === 'user');
  const last = question?.content.trim();
  if (!last)
    return `${intro} There is no message yet. The page's instructions are: "${quote(system)}" ${outro}`;
  const words = last.split(/\s+/).length;
  const kind = last.endsWith('?') ? 'Your question' : 'Your message';
  const place = messages.length > 1 ? ` It is message ${messages.length} of our conversation.` : '';
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  if (results.length > 0)
    return `${intro} The tool ${results.at(-1)?.name} answered: "${quote(results.at(-1)?.content ?? '')}" ${outro}`;
  return `${intro} ${kind} has ${words} ${words === 1 ? 'word' : 'words'}: "${quote(last)}"${place} ${outro}`;
}

function quote(text: string): string {
  const characters = [...text];
  return characters.length <= QUOTED_LENGTH ? text : `${characters.slice(0, QUOTED_LENGTH).join('')}…`;
}
