import { z } from 'zod';
import { note, timestamp, versionNumber } from '../fields.ts';
import { slugParams } from './functions.ts';

/** The wire shapes of the versions of functions. */

export const functionVersionParams = slugParams.extend({ version: versionNumber });

export const FunctionVersion = z.object({
  version: z.int(),
  createdAt: timestamp,
  size: z.int().meta({ description: 'The bytes that count towards your quota.' }),
  current: z.boolean(),
  note: z.string().optional().meta({ description: 'The note of its author, if there is one.' }),
});
export type FunctionVersion = z.infer<typeof FunctionVersion>;
export const FunctionVersionList = z.object({ versions: z.array(FunctionVersion) });
export type FunctionVersionList = z.infer<typeof FunctionVersionList>;
export const FunctionVersionDetail = FunctionVersion.extend({
  code: z.string(),
  files: z
    .record(z.string(), z.string())
    .meta({ description: 'The sources of further modules, by their path.' }),
});
export type FunctionVersionDetail = z.infer<typeof FunctionVersionDetail>;
export const PatchFunctionVersion = z.strictObject({ note });
