import { z } from 'zod';
import { earlierThan, shortText, timestamp } from '../fields.ts';

/** The messages of the editing thread of a page. */

/** Characters of one message. */
const MAX_MESSAGE_CHARACTERS = 100_000;
export const MESSAGE_BODY_LIMIT = 12 * MAX_MESSAGE_CHARACTERS + 1024;

export const BeforeQuery = z.object({
  before: earlierThan('the id of a message', 'must be the id of a message'),
});

export const MessageBody = z.strictObject({
  role: z.enum(['user', 'assistant'], { error: 'must be user or assistant' }),
  content: shortText(MAX_MESSAGE_CHARACTERS).refine((value) => value.length > 0, 'must not be empty'),
});
export type MessageBody = z.infer<typeof MessageBody>;

export const Message = z.object({
  id: z.int(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  createdAt: timestamp,
});
export type Message = z.infer<typeof Message>;
export const MessageResponse = z.object({ message: Message });
export type MessageResponse = z.infer<typeof MessageResponse>;
export const MessageList = z.object({ messages: z.array(Message) });
export type MessageList = z.infer<typeof MessageList>;
