import type { Random } from './random.ts';
import type { World } from './world.ts';

/** What a schema cannot express: which values make sense together, and who can send them. */
export interface Hint {
  role?: string;
  headers?: Record<string, string>;
  params?: Record<string, string | number>;
  query?: Record<string, string | undefined>;
  /** Fields of the body in addition to those from the schema. */
  fields?: Record<string, unknown>;
  /** The whole body, if it is not made from the schema. */
  json?: unknown;
  raw?: string | Uint8Array;
  type?: string;
}

export type Give = (world: World, random: Random) => Hint | Promise<Hint>;
