import { createHmac } from 'node:crypto';
import { z } from 'zod';

/** The version of the format. It increases with each change that an older Quire could not read. */
export const FORMAT = 1;

/** The only fields of a manifest that are certain in archives of a later Quire. */
export const FormatOnly = z.object({ format: z.int(), quire: z.string() });

/** The first entry of an archive: what made it, and what is needed to read it. */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT),
  quire: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  /** Where files were stored. Archives of earlier versions do not say. */
  files: z.enum(['folder', 'bucket']).optional(),
  /** The last migration of the tables. */
  migration: z.string(),
  createdAt: z.string(),
  baseUrl: z.string(),
  /** Whether the key is in the archive, or the operator's own (QUIRE_SECRET), and how to recognize it. */
  secret: z.strictObject({ kept: z.enum(['archive', 'setting']), fingerprint: z.string() }),
});
export type Manifest = z.infer<typeof Manifest>;

const count = z.int().min(0);

/** The last entry before the checksums: how much the archive must contain. */
export const Totals = z.strictObject({
  rows: z.record(z.string(), count),
  /** The highest key that each table has used. */
  sequences: z.record(z.string(), count.max(2 ** 53)),
  blobs: count,
  databases: count,
  /**
   * Blobs that rows name but that did not exist when the archive was made, and databases that could not be
   * copied.
   */
  missing: z.array(z.string()),
});
export type Totals = z.infer<typeof Totals>;

/** Identifies a key without revealing it. */
export function fingerprint(key: Buffer): string {
  return createHmac('sha256', key).update('quire backup').digest('hex').slice(0, 32);
}
