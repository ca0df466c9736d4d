import { z } from 'zod';
import { SchemaResponse } from '../data/collection-schema.ts';
import { shortText, timestamp } from '../fields.ts';
import type { FEATURE_FLAGS } from '../pages/pages.ts';
import { MAX_SPEC_CHARACTERS } from '../rules/limits.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';

/** The largest request body of an agent spec: JSON can take twelve bytes for a character. */
export const SPEC_BODY_LIMIT = 12 * MAX_SPEC_CHARACTERS + 1024;

export const PutSpec = z.strictObject({ spec: shortText(MAX_SPEC_CHARACTERS) });
export type PutSpec = z.infer<typeof PutSpec>;

/** The visitor features, by their switch: the name, and the last part of the address. */
export const PAGE_FEATURES = {
  page_api_ai_enabled: { name: 'chat', path: 'page-api-ai' },
  page_api_image_gen_enabled: { name: 'image generation', path: 'page-api-image-gen' },
  page_api_image_search_enabled: { name: 'image search', path: 'page-api-image-search' },
  page_api_image_recognition_enabled: { name: 'image recognition', path: 'page-api-image-recognition' },
  page_api_spawn_enabled: { name: 'spawn', path: 'page-api-spawn' },
} as const satisfies Record<(typeof FEATURE_FLAGS)[number], { name: string; path: string }>;

export const AgentSpec = z.object({
  spec: z.string().nullable(),
  storageMode: z.enum(STORAGE_MODES).exclude(['page']).nullable(),
  schemas: z.array(SchemaResponse),
  updatedAt: timestamp.nullable(),
  name: z.string(),
  description: z.string(),
  url: z.string(),
  features: z
    .array(z.object({ name: z.string(), url: z.string() }))
    .meta({ description: 'The visitor features that are turned on. They are called with POST.' }),
  functions: z
    .array(z.object({ slug: z.string(), displayName: z.string(), description: z.string(), url: z.string() }))
    .meta({
      description:
        'The public functions that belong to the page or that it calls. They are called with POST.',
    }),
  authentication: z
    .object({
      scheme: z.literal('bearer'),
      scopes: z.array(z.string()),
      tokenUrl: z.string(),
      resourceMetadata: z.string().meta({ description: 'A URL of OAuth metadata (RFC 9728).' }),
      documentation: z.string(),
    })
    .meta({ description: 'How to act as a person. `scopes` are those that the data and features need.' }),
});
export type AgentSpec = z.infer<typeof AgentSpec>;

export const SavedSpec = z.object({ spec: z.string(), createdAt: timestamp, updatedAt: timestamp });
export type SavedSpec = z.infer<typeof SavedSpec>;
