import type { z } from 'zod';
import { recordEndpoints } from '../../../../../contract/data/endpoints.ts';
import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { type DataType, dashed, STORAGE_TYPES } from '../../../../../contract/rules/storage-modes.ts';
import type { Schema } from '../../../../sites/docs-site/index.ts';

/** A tool: its description for agents, and the endpoint it calls. Everything else follows from that endpoint. */
export interface Definition {
  name: string;
  title: string;
  description: string;
  /** One endpoint, or one for each kind of data: then the agent chooses the type. */
  endpoints: { type?: DataType; endpoint: Endpoint }[];
  /** A destructive tool can lose something permanently: there is no version of it. */
  effect: 'read' | 'write' | 'destructive';
  /** The scope that the tool needs, if the endpoint is public and needs none. */
  scope?: string;
  /** What the tool does, if that can take seconds: clients that ask for progress get this text. */
  slow?: string;
  /** True if the tool reaches beyond the service: owner code, or an image provider. */
  reachesOut?: true;
  /** The source of the result, if others than the caller may have written it. */
  source?: string;
  /** How to get less, or the rest, if a result is too long. By default with `from`. */
  more?: string;
  /** Arguments to add, or to describe further. */
  input?: Record<string, Schema>;
  /** Arguments of the endpoint that make no sense for a tool. */
  hidden?: string[];
  /** The argument that is the whole body, if the endpoint accepts any. The result is what the owner's code responds. */
  wholeBody?: string;
  /** The endpoint that owners call instead, with the same arguments, to see what their code printed and threw. */
  forOwners?: { endpoint: Endpoint; scope: string };
  /** The argument that is the whole body, if the body is text of this type. */
  textBody?: { argument: string; type: string };
  /** The arguments that are the bytes of the body: one as text, the other in base64. */
  bytesBody?: { text: string; base64: string };
  /** True if the response is the bytes of a file instead of JSON. */
  bytesResult?: true;
  /** The URL of a picture of ours in the response, which becomes part of the result. */
  findPicture?(data: Record<string, unknown>): string | undefined;
  /** Returns why arguments are refused before the call. */
  refuse?(input: Record<string, unknown>): string | undefined;
}

type Keys<Value> = Value extends unknown ? Extract<keyof Value, string> : never;
type Names<Part> = Part extends z.ZodType ? Keys<z.input<Part>> : never;
/** The names of everything that an endpoint takes, in its path, query or body. */
type ArgumentsOf<Called> = Called extends { params?: infer Params; query?: infer Query; body?: infer Body }
  ? Names<Params> | Names<Query> | Names<Body>
  : never;

/**
 * What a tool adds to an endpoint with these arguments. `Added` are arguments that become the body, and `Given` are those
 * that `input` describes: a name that is neither does not compile.
 */
type Described<Argument extends string, Added extends string, Given extends string> = Omit<
  Definition,
  'endpoints'
> & {
  input?: {
    [Name in Given]: Name extends Argument | Added ? Schema : `${Name} is not an argument of the endpoint`;
  };
  hidden?: Argument[];
  wholeBody?: Added;
  textBody?: { argument: Added };
  bytesBody?: { text: Added; base64: Added };
};

/** A tool for an endpoint. */
export function tool<
  Called extends Endpoint,
  const Added extends string = never,
  const Given extends string = never,
>(endpoint: Called, described: Described<ArgumentsOf<Called>, Added, Given>): Definition {
  return { ...described, endpoints: [{ endpoint }] };
}

type RecordEndpoints = (typeof recordEndpoints)['solo_data'];

/** A tool for an endpoint that each kind of data has. */
export function dataTool<Name extends keyof RecordEndpoints, const Given extends string = never>(
  name: Name,
  described: Described<ArgumentsOf<RecordEndpoints[Name]>, never, Given>,
): Definition {
  const endpoints = STORAGE_TYPES.map((type) => ({
    type: dashed(type),
    endpoint: recordEndpoints[type][name],
  }));
  return { ...described, endpoints };
}
