import { z } from 'zod';
import { timestamp } from '../fields.ts';
import type { HealthFields } from '../service.ts';

/** How the replica of the server is doing, if it has one. */
const ReplicaReport = z.object({
  status: z.enum(['starting', 'copying', 'following', 'failing', 'refused', 'stopped']),
  problem: z.string().nullable(),
  isLate: z
    .boolean()
    .meta({ description: 'Whether changes of more than a minute, or some files, are not in the replica.' }),
  ageSeconds: z.number().nullable().meta({ description: 'Null while there is no replica.' }),
  oldestAt: timestamp.nullable().meta({ description: 'The oldest time that can be restored.' }),
  behindBytes: z.int(),
});
export type ReplicaReport = z.infer<typeof ReplicaReport>;

const Promised = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    uptimeSeconds: z.int(),
    maxCells: z.int(),
    databasesByNode: z.record(z.string(), z.array(z.int())).optional(),
    replica: ReplicaReport.optional(),
    disk: z.object({ freeBytes: z.int(), totalBytes: z.int(), databaseBytes: z.int().nullable() }),
    history: z.array(
      z.object({ at: timestamp, memoryBytes: z.int(), cpuPercent: z.number(), cells: z.int() }),
    ),
  })
  .catchall(z.unknown());
export type HealthReport = z.infer<typeof Promised> & HealthFields;
/** What administrators see of the server itself. The API description promises a part of it. */
export const HealthReport = Promised as unknown as z.ZodType<HealthReport, HealthReport>;
