import type { z } from 'zod';
import { recordEndpoints } from '../../../../../contract/data/endpoints.ts';
import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { type DataType, dashed, STORAGE_TYPES } from '../../../../../contract/rules/storage-modes.ts';
import type { Schema } from '../../../../sites/docs-site/index.ts';

/** The groups of tools: `/mcp?tools=pages,data` lists only these. `whoami` and the documentation are in all of them. */
export const TOOL_GROUPS = ['pages', 'files', 'functions', 'data', 'sites', 'people'] as const;
export type ToolGroup = (typeof TOOL_GROUPS)[number] | 'all';

export type Input = Record<string, unknown>;

/** One of the endpoints of a tool. */
export interface Variant {
  /** The kind of data: the agent chooses it with the argument `type`. */
  type?: DataType;
  /** The argument with which an agent chooses this endpoint. */
  given?: string;
  /** The value that this argument must have. Any value but null by default. */
  is?: unknown;
  endpoint: Endpoint;
}

/** Requests to the API on behalf of the caller of a tool. */
export interface Api {
  /** The scopes of the caller's token. */
  scopes: readonly string[];
  request(
    endpoint: Endpoint,
    parts: {
      params?: Input;
      query?: Record<string, string | number | undefined>;
      /** The body as JSON. */
      json?: unknown;
      /** Any other body, with its type. */
      body?: string | FormData;
      type?: string;
    },
  ): Promise<Response>;
}

/** A result that is short enough for one response, and how to get the rest. */
export interface Cut {
  data: unknown;
  more: string;
}

/** A result that is not the response of the API as it is. */
export interface Outcome {
  data: unknown;
  isError?: boolean;
  /** What it means, in our words. */
  lead?: string | undefined;
}

/** Work that is more than one request. */
interface Work {
  /** Returns the last response, the first one that failed, or what it made of them. */
  run(input: Input, api: Api): Promise<Response | Outcome>;
  /**
   * The arguments that every call needs. The tool then takes those of `input` and no others. Without it, the tool takes
   * the arguments of its endpoint.
   */
  required?: string[];
  /** The fields of the result that its schema names. */
  fields?: string[];
  /** The scope that the tool needs, if its endpoint is public and needs none. */
  scope?: string;
  /** Other endpoints whose work the tool does. Sentences of the API that name them name the tool to agents. */
  alsoDoes?: Endpoint[];
}

/** A tool: its description for agents, and the endpoint it calls. Everything else follows from that endpoint. */
export interface Definition {
  name: string;
  title: string;
  description: string;
  /** The groups that clients can ask for, instead of all tools. */
  group: ToolGroup | readonly ToolGroup[];
  /** What the tool calls. The first one that fits the arguments is chosen. */
  endpoints: Variant[];
  /** A destructive tool can lose something permanently: there is no version of it. */
  effect: 'read' | 'write' | 'destructive';
  /** What the tool can lose, if a moment of the page is kept before it. Routes that always keep one need no second. */
  keeps?: 'records' | 'database';
  /** What the tool does, if that can take seconds: clients that ask for progress get this text. */
  slow?: string;
  /** True if the tool reaches beyond the service: owner code, or an image provider. */
  reachesOut?: true;
  /** The source of the result, if others than the caller may have written it. */
  source?: string;
  /** How to get less, or the rest, if a result is too long. By default with `from`. */
  more?: string;
  /** Makes a result shorter that is too long. `fits` says whether it is short enough. */
  cut?(data: never, input: Input, fits: (data: unknown) => boolean): Cut | undefined;
  /** Leaves out of a response what says nothing, or was not asked for. */
  shape?(data: never, input: Input): unknown;
  /** The URL of a picture of ours in the response, which becomes part of the result. */
  findPicture?(data: Record<string, unknown>): string | undefined;
  /** Arguments that only the tool has, and its endpoint has not. */
  adds?: string[];
  /** Arguments to add, or to describe in other words: a text takes the place of the endpoint's description. */
  input?: Record<string, Schema | string>;
  /** Arguments of the endpoint that make no sense for a tool. */
  hidden?: string[];
  /** What the tool does instead of one request to its endpoint. */
  work?: Work;
}

type Keys<Value> = Value extends unknown ? Extract<keyof Value, string> : never;
type Names<Part> = Part extends z.ZodType ? Keys<z.input<Part>> : never;
/** The names of everything that an endpoint takes, in its path, query or body. */
type ArgumentsOf<Called> = Called extends { params?: infer Params; query?: infer Query; body?: infer Body }
  ? Names<Params> | Names<Query> | Names<Body>
  : never;

/**
 * What a tool adds to an endpoint with these arguments. `Added` are arguments that only the tool has, and `Given` are those
 * that `input` describes: a name that is neither does not compile.
 */
type Described<Argument extends string, Added extends string, Given extends string> = Omit<
  Definition,
  'endpoints' | 'adds' | 'group' | 'work'
> & {
  group?: Definition['group'];
  /** Endpoints that are called instead, if an argument is given. */
  also?: Variant[];
  /** Arguments of these other endpoints, and those that only the tool has. */
  adds?: Added[];
  input?: {
    [Name in Given]: Name extends Argument | Added
      ? Schema | string
      : `${Name} is not an argument of the endpoint`;
  };
  hidden?: Array<Argument | Added>;
};

/** A tool for an endpoint. */
export function tool<
  Called extends Endpoint,
  const Added extends string = never,
  const Given extends string = never,
>(endpoint: Called, described: Described<ArgumentsOf<Called>, Added, Given>): Definition {
  const { also = [], group = 'all', ...rest } = described;
  return { ...rest, group, endpoints: [...also, { endpoint }] };
}

type RecordEndpoints = (typeof recordEndpoints)['solo_data'];

/** An endpoint that each kind of data has, for a tool that calls it if an argument is given. */
export interface RecordVariant {
  given: string;
  is?: unknown;
  name: keyof RecordEndpoints;
}

/** A tool for an endpoint that each kind of data has. */
export function dataTool<
  Name extends keyof RecordEndpoints,
  const Added extends string = never,
  const Given extends string = never,
>(
  name: Name,
  described: Omit<Described<ArgumentsOf<RecordEndpoints[Name]>, Added, Given>, 'also'> & {
    also?: RecordVariant[];
  },
): Definition {
  const { also = [], group = 'data', ...rest } = described;
  const endpoints = STORAGE_TYPES.flatMap((type): Variant[] => [
    ...also.map(({ name: other, ...variant }) => ({
      ...variant,
      type: dashed(type),
      endpoint: recordEndpoints[type][other],
    })),
    { type: dashed(type), endpoint: recordEndpoints[type][name] },
  ]);
  return { ...rest, group, endpoints };
}
