import { z } from 'zod';
import { list, text } from '../fields.ts';
import { byteLength } from '../rules/text.ts';
import { rule } from '../rules/texts/rule.ts';

/** What a function sends with `env.AI.embed`, and its limits. */

export const MAX_EMBEDDED_TEXTS = 100;
/** Models read some 8,000 tokens of a text. */
export const MAX_EMBEDDED_BYTES = 32 * 1024;
export const MAX_ALL_EMBEDDED_BYTES = 256 * 1024;

const max = MAX_EMBEDDED_BYTES;
export const FunctionTexts = z.strictObject({
  texts: list(
    text()
      .refine((value) => value.trim() !== '', 'must not be empty')
      .refine((value) => byteLength(value) <= max, rule('must have at most {max} bytes', { max })),
    { max: MAX_EMBEDDED_TEXTS, tooLong: rule('has more than {max} texts', { max: MAX_EMBEDDED_TEXTS }) },
  )
    .refine((texts) => texts.length > 0, 'must not be empty')
    .refine(
      (texts) => texts.reduce((sum, each) => sum + byteLength(each), 0) <= MAX_ALL_EMBEDDED_BYTES,
      rule('must have at most {max} bytes in all', { max: MAX_ALL_EMBEDDED_BYTES }),
    ),
});
