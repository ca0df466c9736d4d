import type { Schema } from '../../../../platform/docs-site/index.ts';
import type { Route } from '../../../../platform/http/index.ts';

/** A tool: its description for agents, and the route it calls. Everything else follows from that route. */
export interface Definition {
  name: string;
  title: string;
  description: string;
  method: Route['method'];
  /** The path of the route. For `:type` the agent chooses one of the three kinds of data. */
  path: string;
  /** A destructive tool can lose something permanently: there is no version of it. */
  effect: 'read' | 'write' | 'destructive';
  /** The scope it needs, if the route is public and needs none. */
  scope?: string;
  /** What it does, if that can take seconds: clients that ask for progress are told so while they wait. */
  slow?: string;
  /** True if it reaches beyond the service: owner code, or an image provider. */
  reachesOut?: true;
  /** The source of its result, if others than the caller may have written it. */
  source?: string;
  /** How to get less, or the rest, when a result is too long. Without it: with `from`. */
  more?: string;
  /** Adds to the description of an argument, or adds an argument. */
  input?: Record<string, Schema>;
  /** Arguments of the route that make no sense for a tool. */
  hidden?: string[];
  /** The argument that is the whole body, if the route accepts any. The result is what the owner's code responds. */
  wholeBody?: string;
  /** Where owners call it instead, to see what their code printed and threw: the last part of the path. */
  ownersRoute?: { part: string; scope: string };
  /** The argument that is the whole body, if that is text of this type. */
  textBody?: { argument: string; type: string };
  /** The arguments that are the bytes of the body: one as text, the other in base64. */
  bytesBody?: { text: string; base64: string };
  /** True if the response is the bytes of a file instead of JSON. */
  bytesResult?: true;
  /** The URL of a picture of ours in the response, which becomes part of the result. */
  pictureOf?(data: Record<string, unknown>): string | undefined;
  /** Why these arguments are refused before the call. */
  refuse?(input: Record<string, unknown>): string | undefined;
}
