import { z } from 'zod';
import { MessageKey } from '../error-body.ts';

/** What may be wrong with a document that was saved. A browser would show it only in its console, or not at all. */
const WARNING_CODES = [
  'SCRIPT_SYNTAX',
  'UNKNOWN_FUNCTION',
  'PRIVATE_FUNCTION',
  'MISSING_FILE',
  'SOURCE_FILE',
  'SITE_RULE',
  'ATTACKED',
  'NOT_CHECKED',
] as const;
export const PageWarning = z.object({
  code: z.enum(WARNING_CODES),
  message: z.string().meta({ description: 'A sentence for people. It may quote the page.' }),
  ...MessageKey.shape,
  file: z
    .string()
    .optional()
    .meta({ description: 'The file of the site that it is about, if that is not html_content.' }),
  line: z.int().optional().meta({
    description: 'The line in html_content or in the file, from 1; of SITE_RULE, in the file that it names.',
  }),
  column: z.int().optional().meta({ description: 'The column in the line, from 1.' }),
});
export type PageWarning = z.infer<typeof PageWarning>;
