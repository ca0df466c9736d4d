import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The wire shapes of what fills the disk, for administrators. */

/** The most users in the storage report: those who store the most bytes. */
export const MAX_STORAGE_USERS = 20;

const bytes = z.int().nullable();

export const StorageReport = z.object({
  measuredAt: timestamp.meta({ description: 'When the sizes were measured. A report is kept for a minute.' }),
  disk: z.object({ freeBytes: z.int(), totalBytes: z.int() }),
  parts: z
    .object({
      database: bytes.meta({ description: 'The database of the service; null if it cannot be measured.' }),
      files: bytes.meta({ description: 'Files, pictures and code; null if they are in a bucket.' }),
      functionDatabases: bytes.meta({ description: 'The databases of functions on this machine.' }),
      backups: bytes.meta({ description: 'Backups that the server keeps; null if they are in a bucket.' }),
      other: bytes.meta({ description: 'Packages, uploads that are in progress, and the like.' }),
    })
    .meta({ description: 'Bytes of each part.' }),
  isComplete: z.boolean().meta({
    description: 'False if there are too many files to count them all. The real sizes are then larger.',
  }),
  bucket: z.string().nullable().meta({ description: 'The bucket of files and backups, if there is one.' }),
  isDatabaseElsewhere: z.boolean().meta({ description: 'True if the database is PostgreSQL.' }),
  users: z.array(
    z.object({
      id: z.int(),
      username: z.string(),
      storedBytes: z.int(),
      pages: z.int(),
      functions: z.int(),
    }),
  ),
});
export type StorageReport = z.infer<typeof StorageReport>;
