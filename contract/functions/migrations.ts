import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The migrations of a function's database. */
export const MigrationList = z.object({
  migrations: z.array(
    z.object({
      name: z.string(),
      appliedAt: timestamp.nullable(),
      pending: z.boolean().meta({
        description: 'The file is there, and the next deploy applies it.',
      }),
    }),
  ),
});
export type MigrationList = z.infer<typeof MigrationList>;
