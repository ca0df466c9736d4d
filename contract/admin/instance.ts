import { z } from 'zod';
import { shortText } from '../fields.ts';
import { MAX_INSTANCE_NAME, MAX_INSTANCE_TEXT, MAX_TAGLINE } from '../rules/limits.ts';

/** How a server presents itself: its name, color, logo and what it says on its start page. */

const line = (max: number) =>
  shortText(max)
    .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), 'must be one line')
    .transform((value) => value.trim());

export const PatchInstance = z
  .strictObject({
    name: line(MAX_INSTANCE_NAME)
      .refine((value) => value.length > 0, 'must not be empty')
      .meta({ minLength: 1, maxLength: MAX_INSTANCE_NAME }),
    tagline: line(MAX_TAGLINE).meta({ maxLength: MAX_TAGLINE, description: 'One sentence.' }),
    text: shortText(MAX_INSTANCE_TEXT).meta({
      description: 'Paragraphs for the start page, separated by empty lines. Not HTML.',
    }),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #3547a8, or null')
      .transform((color) => color.toLowerCase())
      .nullable()
      .meta({ description: 'The color of the server; null for the color of Quire.' }),
  })
  .partial();
export type PatchInstance = z.infer<typeof PatchInstance>;

export const Instance = z.object({
  name: z.string(),
  tagline: z.string(),
  text: z.string(),
  color: z.string().nullable(),
  accent: z.object({ light: z.string(), dark: z.string() }).meta({
    description: 'The color as screens show it, so that everyone can read it: on light, and on dark.',
  }),
  logo: z.string().nullable().meta({ description: 'The URL of the logo.' }),
});
export type Instance = z.infer<typeof Instance>;

export const logoParams = z.object({ file: z.string().meta({ maxLength: 64 }) });
