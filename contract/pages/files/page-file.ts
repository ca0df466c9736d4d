import { z } from 'zod';
import { timestamp } from '../../fields.ts';
import { FILE_HASH } from '../../rules/file-paths.ts';

const hash = z.string().regex(FILE_HASH).meta({ description: 'The SHA-256 of the bytes, in hexadecimal.' });

export const PageFile = z.object({
  path: z.string(),
  size: z.int(),
  type: z.string().meta({ description: 'The media type, by the extension of the name.' }),
  hash,
  updatedAt: timestamp,
});
export type PageFile = z.infer<typeof PageFile>;
