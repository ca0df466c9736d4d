import { z } from 'zod';
import { binary, idOrSlugParams, queryNumber, timestamp } from '../fields.ts';
import { FORM_NAME, MAX_FORM_VALUE } from './limits.ts';

/** The wire shapes of forms on pages and of the messages that visitors send with them. */

const name = z
  .string()
  .regex(FORM_NAME)
  .meta({ description: 'The name of the form: 1 to 64 letters, digits, hyphens and underscores.' });
const messageId = z.uuid().meta({ description: 'The id of a message.' });

export const formParams = idOrSlugParams.extend({ name });
export const formMessageParams = formParams.extend({ messageId });
export const formFileParams = formMessageParams.extend({ fileId: z.uuid() });

const value = z.string().meta({ maxLength: MAX_FORM_VALUE });

/** What a visitor sends: fields with the author's names, and files in multipart/form-data. */
export const FormSubmission = z
  .object({
    _next: z.string().optional().meta({
      description: 'A path or URL of the same page, where the browser goes next. The response is then 303.',
    }),
    _gotcha: z.string().optional().meta({
      description: 'Must stay empty: people do not see this field. A message with a value here is dropped.',
    }),
  })
  .catchall(z.union([value, z.array(value), binary]));

export const FormSubmitQuery = z.object({
  redirect: z
    .literal('false', { error: 'must be false' })
    .optional()
    .meta({ description: 'The response is 201 even if there is a `_next`, and has its URL as `next`.' }),
});

/** The response is the same for a message that was dropped, so that programs do not learn why. */
export const FormSent = z.object({ success: z.literal(true), message: z.string() });
export type FormSent = z.infer<typeof FormSent>;
/** The response to a script that sent a `_next`. The script goes to `next` itself. */
export const FormSentNext = FormSent.extend({ next: z.string().optional() });

export const FormSummary = z.object({
  name: z.string(),
  messages: z.int(),
  unread: z.int(),
  /** Bytes of all messages with their files. */
  bytes: z.int(),
  lastMessageAt: timestamp,
});
export type FormSummary = z.infer<typeof FormSummary>;
/** The forms of a page, the last used first. */
export const FormList = z.object({
  forms: z.array(FormSummary),
  unread: z.int(),
  formNotices: z.boolean().optional().meta({
    description:
      'Whether the owner of the page gets mail about new messages. Absent if the service does not send mail.',
  }),
});
export type FormList = z.infer<typeof FormList>;

export const FormFile = z.object({
  id: z.uuid(),
  /** The name of the form field. */
  field: z.string(),
  name: z.string(),
  size: z.int(),
  contentType: z.string(),
});
export type FormFile = z.infer<typeof FormFile>;

export const FormMessage = z.object({
  id: z.uuid(),
  form: z.string(),
  /** A field that was sent several times has a list. */
  fields: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  files: z.array(FormFile),
  isRead: z.boolean(),
  createdAt: timestamp,
});
export type FormMessage = z.infer<typeof FormMessage>;

/** Messages of a form, newest first. */
export const FormMessageList = z.object({
  messages: z.array(FormMessage),
  hasMore: z.boolean().meta({
    description:
      'Whether there are older messages. A response has fewer messages than the limit if they are large.',
  }),
  total: z.int(),
  unread: z.int(),
});
export type FormMessageList = z.infer<typeof FormMessageList>;

export const FormMessagesQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  before: z.uuid('must be the id of a message').optional().meta({
    description: 'The id of a message: those before it are read.',
  }),
  unread: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .meta({ description: 'true: only messages that are not read yet.' }),
});
export type FormMessagesQuery = z.infer<typeof FormMessagesQuery>;

/** The settings for all forms of a page. */
export const FormSettings = z.strictObject({ formNotices: z.boolean('must be true or false') });
export type FormSettings = z.infer<typeof FormSettings>;

export const FormReadBody = z.strictObject({ isRead: z.boolean('must be true or false') });
export type FormReadBody = z.infer<typeof FormReadBody>;
