import { z } from 'zod';
import { SchemaResponse } from '../../../../contract/collection-schema.ts';
import { shortText, timestamp } from '../../../../contract/fields.ts';

const MAX_SPEC_CHARACTERS = 50_000;
/** JSON may spell a character in twelve bytes. */
export const SPEC_BODY_LIMIT = 12 * MAX_SPEC_CHARACTERS + 1024;

export const PutSpec = z.strictObject({ spec: shortText(MAX_SPEC_CHARACTERS) });

export const AgentSpec = z.object({
  spec: z.string().nullable(),
  storageMode: z.enum(['solo_app', 'team_app', 'social_app']).nullable(),
  schemas: z.array(SchemaResponse),
  updatedAt: timestamp.nullable(),
});

export const SavedSpec = z.object({ spec: z.string(), createdAt: timestamp, updatedAt: timestamp });
