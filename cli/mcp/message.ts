import { z } from 'zod';

/** What the bridge has to know of a message. */
const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional().catch(undefined),
  method: z.string().optional(),
  params: z.looseObject({}).optional().catch(undefined),
});
export type Message = z.infer<typeof Message>;

/** A message, or undefined for anything else. */
export function parseMessage(text: string): Message | undefined {
  try {
    return Message.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const Initialized = z.object({ result: z.object({ protocolVersion: z.string() }) });

/** The revision in a response to `initialize`. */
export function agreedVersion(answer: Message): string | undefined {
  const parsed = Initialized.safeParse(answer);
  return parsed.success ? parsed.data.result.protocolVersion : undefined;
}
