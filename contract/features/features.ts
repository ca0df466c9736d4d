import { z } from 'zod';
import { shortText, text } from '../fields.ts';
import { PageRef } from '../references.ts';
import { MAX_PAGE_DESCRIPTION, MAX_PAGE_NAME, MAX_PREVIEW_INSTRUCTIONS } from '../rules/limits.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import { Credits } from './chat.ts';

/** The wire shapes of visitor features except chats, and their limits. */

const MAX_PROMPT_CHARACTERS = 4_000;
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024;
export const SMALL_BODY_LIMIT = 64 * 1024;
/** Base64 may be broken into lines of 76 letters, and JSON takes up to four bytes for a line break. */
export const PICTURE_BODY_LIMIT = Math.ceil((Math.ceil(MAX_PICTURE_BYTES / 3) * 4 * 80) / 76) + 64 * 1024;

const filled = (max: number) => shortText(max).refine((value) => value.trim() !== '', 'must not be empty');

const ASPECT_RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4'] as const;

export const ImageGenBody = z.strictObject({
  prompt: filled(MAX_PROMPT_CHARACTERS),
  aspectRatio: z.enum(ASPECT_RATIOS, { error: choiceRule(ASPECT_RATIOS) }).default('1:1'),
});
export type ImageGenBody = z.infer<typeof ImageGenBody>;

export const ImageSearchBody = z.strictObject({
  query: filled(500),
  count: z
    .int('must be a whole number from 1 to 10')
    .min(1, 'must be a whole number from 1 to 10')
    .max(10, 'must be a whole number from 1 to 10')
    .default(10),
});
export type ImageSearchBody = z.infer<typeof ImageSearchBody>;

export const RecognitionBody = z
  .strictObject({
    prompt: filled(MAX_PROMPT_CHARACTERS),
    image_url: shortText(4_000)
      .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url), 'must be an http or https address')
      .optional(),
    image_base64: z.string().optional(),
    mime_type: shortText(100).optional(),
  })
  .refine(
    ({ image_url, image_base64 }) => (image_url === undefined) !== (image_base64 === undefined),
    'give either image_url or image_base64',
  );
export type RecognitionBody = z.infer<typeof RecognitionBody>;

export const SpawnBody = z.strictObject({
  name: filled(MAX_PAGE_NAME),
  html_content: text().min(1, 'must not be empty').optional(),
  description: shortText(MAX_PAGE_DESCRIPTION).optional(),
  storage_mode: z.enum(STORAGE_MODES, { error: choiceRule(STORAGE_MODES) }).optional(),
});
export type SpawnBody = z.infer<typeof SpawnBody>;

const PREVIEW_SOURCES = ['drawn', 'screenshot'] as const;

export const PreviewBody = z.strictObject({
  source: z.enum(PREVIEW_SOURCES, { error: 'must be drawn or screenshot' }).default('drawn').meta({
    description: 'With screenshot: the picture of the last check in a desktop window. It costs nothing.',
  }),
  html: text().optional(),
  customInstructions: shortText(MAX_PREVIEW_INSTRUCTIONS).optional(),
});
/** The body of a preview request as clients send it: fields with a default may be left out. */
export type PreviewBody = z.input<typeof PreviewBody>;

/** The error body of visitor features: a word names the failure, and 402 has a flag instead. */
export const FeatureFailure = z
  .object({ error: z.string().regex(/^[a-z_]+$/), message: z.string(), retryAfter: z.int().optional() })
  .meta({ id: 'FeatureFailure' });
export const PaymentRequired = z
  .union([
    z.object({ consent_required: z.literal(true), consentUrl: z.string() }),
    z.object({ insufficient_credits: z.literal(true) }),
    z.object({ credit_limit_reached: z.literal(true), message: z.string() }),
  ])
  .meta({ id: 'PaymentRequired' });

export const ImageGenAnswer = z.object({ image_url: z.string() });
export type ImageGenAnswer = z.infer<typeof ImageGenAnswer>;
export const FoundImage = z.object({
  title: z.string(),
  thumbnail: z.string(),
  original: z.string(),
  source: z.string(),
  link: z.string(),
  width: z.number(),
  height: z.number(),
});
export type FoundImage = z.infer<typeof FoundImage>;
export const ImageSearchAnswer = z.object({
  success: z.literal(true),
  query: z.string(),
  results: z.array(FoundImage),
});
export type ImageSearchAnswer = z.infer<typeof ImageSearchAnswer>;
export const RecognitionAnswer = z.object({ success: z.literal(true), text: z.string(), credits: Credits });
export type RecognitionAnswer = z.infer<typeof RecognitionAnswer>;
export const SpawnAnswer = z.object({
  success: z.literal(true),
  page: PageRef.extend({ url: z.string() }),
});
export type SpawnAnswer = z.infer<typeof SpawnAnswer>;
export const PreviewAnswer = z.object({
  success: z.literal(true),
  imageUrl: z.string(),
  message: z.string(),
});
export type PreviewAnswer = z.infer<typeof PreviewAnswer>;

/** The address of a picture that was made here. */
export const imageParams = z.object({
  file: z
    .string()
    .regex(/^[0-9a-f-]{36}\.png$/)
    .transform((name) => name.slice(0, -'.png'.length)),
});
