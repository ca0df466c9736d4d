import { z } from 'zod';
import { timestamp } from '../fields.ts';
import type { HealthFields } from '../service.ts';

const Promised = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    uptimeSeconds: z.int(),
    maxCells: z.int(),
    databasesByNode: z.record(z.string(), z.array(z.int())).optional(),
    disk: z.object({ freeBytes: z.int(), totalBytes: z.int(), databaseBytes: z.int().nullable() }),
    history: z.array(
      z.object({ at: timestamp, memoryBytes: z.int(), cpuPercent: z.number(), cells: z.int() }),
    ),
  })
  .catchall(z.unknown());
export type HealthReport = z.infer<typeof Promised> & HealthFields;
/** What administrators see of the server itself. The API description promises a part of it. */
export const HealthReport = Promised as unknown as z.ZodType<HealthReport, HealthReport>;
