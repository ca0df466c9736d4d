import { z } from 'zod';
import { SchemaResponse } from './collection-schema.ts';
import { shortText, timestamp } from './fields.ts';
import { MAX_SPEC_CHARACTERS } from './rules/limits.ts';
import { STORAGE_MODES } from './rules/storage-modes.ts';

/** JSON can take twelve bytes for a character. */
export const SPEC_BODY_LIMIT = 12 * MAX_SPEC_CHARACTERS + 1024;

export const PutSpec = z.strictObject({ spec: shortText(MAX_SPEC_CHARACTERS) });
export type PutSpec = z.infer<typeof PutSpec>;

export const AgentSpec = z.object({
  spec: z.string().nullable(),
  storageMode: z.enum(STORAGE_MODES).exclude(['page']).nullable(),
  schemas: z.array(SchemaResponse),
  updatedAt: timestamp.nullable(),
});
export type AgentSpec = z.infer<typeof AgentSpec>;

export const SavedSpec = z.object({ spec: z.string(), createdAt: timestamp, updatedAt: timestamp });
export type SavedSpec = z.infer<typeof SavedSpec>;
