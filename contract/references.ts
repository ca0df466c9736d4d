import { z } from 'zod';

/** A user, as other resources name them. */
export const UserRef = z.object({ id: z.int(), username: z.string() });
export type UserRef = z.infer<typeof UserRef>;

/** A page, as other resources name it. */
export const PageRef = z.object({ id: z.int(), name: z.string(), slug: z.string() });
export type PageRef = z.infer<typeof PageRef>;
