import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor, OwnApi, OwnCaller } from '../../platform/http/index.ts';
import type { Bundler } from '../../runtime/bundler/index.ts';
import type { FetchExternal } from '../../runtime/egress/index.ts';

/** The person who imports something. Everything is published on their behalf. */
export interface Importer extends OwnCaller {
  actor: Actor;
}

/** The dependencies of imports. */
export interface ImportsOptions {
  baseUrl: string;
  config: { dataFolder: string };
  limits: Limits;
  fetchExternal: FetchExternal;
  /** Compiles components. */
  bundler: Pick<Bundler, 'compile'>;
}

export type Service = OwnApi['service'];
