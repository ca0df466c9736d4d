import { type ChatBody, MAX_CHAT_PICTURE_BYTES } from '../../../contract/features/chat.ts';
import { PICTURE_PRICES, TOKENS_PER_CREDIT } from '../../../contract/rules/credit-amounts.ts';
import type { ChatRequest, TurnMessage } from '../../platform/providers/index.ts';
import type { FeaturesContext } from './context.ts';
import { invalid } from './feature-error.ts';
import type { Entered } from './gate.ts';
import { checkSent, decode, readPicture } from './pictures.ts';

/** Bytes per token in a reservation: fewer than tokens have, so that the provider's count does not exceed it. */
export const BYTES_PER_RESERVED_TOKEN = 3;

/** A chat, and who sends it. */
export type SentChat = Pick<Entered<ChatBody>, 'body' | 'caller' | 'signal'>;

type Prompt = Omit<ChatRequest, 'maxTokens' | 'signal'>;
type Message = ChatBody['messages'][number];

/** The text of a chat, and at most how many tokens it has with its pictures. */
export function measureChat(body: ChatBody): { text: string; inputTokens: number } {
  const { system_prompt, messages, tools, response_format } = body;
  const written = messages.flatMap(({ content, tool_calls }) => [
    content,
    ...(tool_calls ? [JSON.stringify(tool_calls)] : []),
  ]);
  const described = tools || response_format ? [JSON.stringify([tools, response_format])] : [];
  const text = [system_prompt, ...written, ...described].join('\n');
  const pictures = messages.reduce((sum, { images = [] }) => sum + images.length, 0);
  const inputTokens =
    Math.ceil(Buffer.byteLength(text) / BYTES_PER_RESERVED_TOKEN) +
    10 * (messages.length + 1) +
    pictures * PICTURE_PRICES.recognition * TOKENS_PER_CREDIT;
  return { text, inputTokens };
}

/** What a chat sends to the provider. */
export async function composePrompt(context: FeaturesContext, entered: SentChat): Promise<Prompt> {
  const { system_prompt: system, messages, tools, response_format, model } = entered.body;
  return {
    system,
    messages: await toTurns(context, entered, messages),
    model,
    tools: tools?.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
    })),
    responseFormat: response_format,
  };
}

/** What a token of the model that a chat names counts. Refuses what no model here can do. */
export function chooseModel(
  { providers }: FeaturesContext,
  { model: wanted, tools }: ChatBody,
): { factor: number } {
  const { models } = providers;
  if (tools?.length && providers.turns === 'no tools')
    throw invalid('tools: The model of this server cannot call tools.');
  const found = wanted === undefined ? models[0] : models.find(({ name }) => name === wanted);
  if (!found)
    throw invalid(
      `model: ${wanted} is not offered here. Choose one of ${models.map(({ name }) => name).join(', ')}.`,
    );
  return { factor: (found.price * TOKENS_PER_CREDIT) / 1_000 };
}

/** The messages as providers take them: results of tools that follow each other belong together. */
async function toTurns(
  context: FeaturesContext,
  entered: SentChat,
  messages: Message[],
): Promise<TurnMessage[]> {
  const turns: TurnMessage[] = [];
  const names = new Map<string, string>();
  let pictureBytes = 0;
  for (const { role, content, images = [], tool_calls = [], tool_call_id = '' } of messages) {
    const last = turns.at(-1);
    if (role === 'tool') {
      const result = { id: tool_call_id, name: names.get(tool_call_id) ?? '', content };
      if (last?.role === 'tool') last.results.push(result);
      else turns.push({ role, results: [result] });
    } else if (role === 'assistant') {
      for (const { id, name } of tool_calls) names.set(id, name);
      turns.push({ role, content, calls: tool_calls });
    } else {
      const pictures = [];
      for (const image of images) {
        const isUrl = /^https?:\/\//i.test(image);
        const picture = await checkSent(isUrl ? await readPicture(context, image, entered) : decode(image));
        pictureBytes += picture.bytes.length;
        if (pictureBytes > MAX_CHAT_PICTURE_BYTES)
          throw invalid(`messages: the pictures have more than ${MAX_CHAT_PICTURE_BYTES} bytes together.`);
        pictures.push(picture);
      }
      turns.push({ role, content, ...(pictures.length > 0 && { images: pictures }) });
    }
  }
  return turns;
}
