import type { Schema } from '../../../platform/docs-site/index.ts';
import type { Route } from '../../../platform/http/index.ts';

/** A tool: what an agent reads about it, and the one route that it calls. The rest follows from that route. */
export interface Definition {
  name: string;
  title: string;
  description: string;
  method: Route['method'];
  /** The route's own path; where it says `:type`, the agent chooses one of the three kinds of data. */
  path: string;
  /** A destructive tool may lose something for good: it is not kept as a version anywhere. */
  effect: 'read' | 'write' | 'destructive';
  /** The scope that it needs, where the route, which is open to anybody, asks for none. */
  scope?: string;
  /** True when it reaches beyond the service: owner code, or a provider of pictures. */
  reachesOut?: true;
  /** Where its answer comes from, when others than the caller may have written it. */
  source?: string;
  /** How to get less, or the rest, when an answer is too long; without it, by `from`. */
  more?: string;
  /** Says more of an argument than the route does, or adds one. */
  input?: Record<string, Schema>;
  /** Arguments of the route that make no sense here. */
  hidden?: string[];
  /** The argument that is the whole body, where the route takes any. */
  wholeBody?: string;
  /** Why these arguments are refused, before anything is called. */
  refuse?(input: Record<string, unknown>): string | undefined;
}
