import { z } from 'zod';
import { TRIGGER_ACTIONS } from '../rules/limits.ts';
import { FEATURE_FLAGS } from './pages.ts';

/** The settings of a page in its folder. */

const flag = z.boolean('must be true or false');

/** The settings of a page that its folder has under the same names. */
export const SAME_SETTINGS = [
  'name',
  'slug',
  'description',
  'storage_mode',
  'is_published',
  'is_unlisted',
  'spa',
  'isolation',
] as const;

/** The contents of `page.json`. The server checks the limits. */
export const PageJson = z.strictObject({
  name: z.string('must be text').optional(),
  slug: z.string('must be text').optional(),
  description: z.string('must be text').optional(),
  storage_mode: z.string('must be text').optional(),
  is_published: flag.optional(),
  is_unlisted: flag.optional(),
  spa: flag.optional(),
  isolation: z.record(z.string(), z.unknown()).optional(),
  access: z
    .strictObject({
      mode: z.string('must be text'),
      people: z.array(z.string('must be text'), 'must be a list').optional(),
      expires_at: z.string('must be text').nullable().optional(),
      // Folders are shared and put under version control.
      password: z.never('does not belong in a file. Set it with quire pages access').optional(),
    })
    .optional(),
  features: z.partialRecord(z.enum(FEATURE_FLAGS), flag).optional(),
  schemas: z.record(z.string(), z.unknown()).optional(),
  functions: z.array(z.string('must be text'), 'must be a list').optional(),
  agent_functions: z.array(z.unknown(), 'must be a list').optional(),
  agent_spec: z.string('must be text').optional(),
  function: z
    .strictObject({
      slug: z.string('must be text'),
      displayName: z.string('must be text').optional(),
      description: z.string('must be text').optional(),
      isPublic: flag.optional(),
      enableDatabase: flag.optional(),
      useDatabase: z.string('must be text').optional(),
      aiDailyLimit: z.number('must be a number').optional(),
      schedules: z
        .array(
          z.strictObject({
            cron: z.string('must be text'),
            timezone: z.string('must be text').optional(),
          }),
          'must be a list',
        )
        .optional(),
      on: z
        .array(
          z.strictObject({
            collection: z.string('must be text'),
            actions: z.array(z.enum(TRIGGER_ACTIONS, 'must be create, update or delete'), 'must be a list'),
            url: z.string('must be text').optional(),
          }),
          'must be a list',
        )
        .optional(),
    })
    .optional(),
});
export type PageJson = z.infer<typeof PageJson>;
