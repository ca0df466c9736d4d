import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { jsonSchema, parameters, type Schema } from '../../../../sites/docs-site/index.ts';
import type { Definition, Input, Variant } from './definition.ts';
import { makeOutputSchema } from './output.ts';
import { shortenAll } from './short-schema.ts';

/** The argument that says where a part of a long result begins. */
export const FROM = 'from';
const PARTS = { [FROM]: { type: 'integer' } };

/** A tool with its schemas. They are made when first needed, because not every server has agents. */
export interface Tool extends Definition {
  /** The arguments of all of its endpoints, or of one of them. */
  takes(endpoint?: Endpoint): ToolArguments;
  /** The schema of `structuredContent`. */
  outputSchema(): Schema;
}

interface ToolArguments {
  properties: Record<string, Schema>;
  required: string[];
  /** The arguments that go in the path and the query. All others belong to the body. */
  inPath: string[];
  inQuery: string[];
}

export function createTool(definition: Definition): Tool {
  const taken = new Map<Endpoint | undefined, ToolArguments>();
  let outputSchema: Schema | undefined;
  return {
    ...definition,
    takes(asked) {
      const endpoint = definition.work?.required ? undefined : asked;
      const known =
        taken.get(endpoint) ??
        (endpoint ? listArguments(definition, endpoint) : listAllArguments(definition));
      taken.set(endpoint, known);
      return known;
    },
    outputSchema() {
      outputSchema ??= makeOutputSchema(definition);
      return outputSchema;
    },
  };
}

/** The arguments of a tool, whichever endpoint they are for. */
function listAllArguments(definition: Definition): ToolArguments {
  const { effect, more, work } = definition;
  const taken = work?.required
    ? listOwnArguments(definition, work.required)
    : listEndpointArguments(definition);
  // A long result that cannot be requested in smaller portions can be read in parts.
  const parts = effect === 'read' && more === undefined ? PARTS : {};
  return { ...taken, properties: { ...taken.properties, ...parts } };
}

function listOwnArguments({ input = {} }: Definition, required: string[]): ToolArguments {
  const properties = Object.entries(input).map(([key, words]) => [key, reword(undefined, words)]);
  return { properties: Object.fromEntries(properties), required, inPath: [], inQuery: [] };
}

/** The arguments of all endpoints of a tool. Those are required that each endpoint requires. */
function listEndpointArguments(definition: Definition): ToolArguments {
  const { name, input = {}, adds = [] } = definition;
  const { type: ownType } = mainVariant(definition);
  const variants = definition.endpoints.filter(({ type }) => type === ownType);
  const all = variants.map(({ endpoint, given }) => ({ given, ...listArguments(definition, endpoint) }));
  const known = Object.assign({}, ...all.toReversed().map(({ properties }) => properties)) as Record<
    string,
    Schema
  >;
  const missing = Object.keys(input).filter((key) => !Object.hasOwn(known, key) && !adds.includes(key));
  if (missing.length > 0) throw new Error(`the tool ${name} does not take ${missing.join(', ')}`);
  const required = all
    .map(({ required, given }) => required.filter((argument) => argument !== given))
    .reduce((some, others) => some.filter((argument) => others.includes(argument)));
  const { inPath = [], inQuery = [] } = all.at(-1) ?? {};
  const worded = Object.entries(input).map(([key, words]) => [key, reword(known[key], words)]);
  return { properties: { ...known, ...Object.fromEntries(worded) }, required, inPath, inQuery };
}

/** An argument in the words of the tool. */
function reword(schema: Schema = {}, words: Schema | string): Schema {
  if (typeof words !== 'string') return words;
  const { description: _, ...rest } = schema;
  return words === '' ? rest : { ...rest, description: words };
}

/** One flat list of the arguments of an endpoint, wherever in the request each belongs. */
function listArguments(definition: Definition, endpoint: Endpoint): ToolArguments {
  const { name, hidden = [] } = definition;
  const { type } = mainVariant(definition);
  const taken = parameters(endpoint).filter((parameter) => !hidden.includes(parameter.name));
  const named = new Map(taken.map((parameter) => [parameter.name, parameter]));
  const parts = taken.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
  // The argument for the kind of data follows the page, as in the path.
  const inPath = type === undefined ? parts : parts.toSpliced(1, 0, 'type');
  const inQuery = taken.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
  const body = endpoint.body ? jsonSchema(endpoint.body, 'input') : {};
  const inBody = Object.entries(body.properties ?? {}).filter(([key]) => !hidden.includes(key));
  const all = [...inPath, ...inQuery, ...inBody.map(([key]) => key), FROM];
  if (new Set(all).size < all.length) throw new Error(`two arguments of the tool ${name} have one name`);
  const properties: Record<string, Schema> = {
    ...Object.fromEntries(inPath.map((key) => [key, named.get(key)?.schema ?? { type: 'string' }])),
    ...Object.fromEntries(inQuery.map((key) => [key, plain(named.get(key)?.schema ?? {})])),
    ...Object.fromEntries(inBody),
  };
  const required = [
    ...inPath,
    ...inQuery.filter((key) => named.get(key)?.required),
    ...(body.required ?? []),
  ];
  return { properties, required, inPath, inQuery };
}

/** The schema of a query parameter as an argument: numbers and booleans instead of text with a pattern. */
function plain(schema: Schema): Schema {
  if (schema.enum?.join() === 'true,false') return { type: 'boolean' };
  if (schema.type !== 'integer') return schema;
  const { pattern: _, ...rest } = schema;
  return rest;
}

/** The endpoint that describes the tool: the last one, which is called if no argument chooses another. */
export function mainVariant({ name, endpoints }: Definition): Variant {
  const main = endpoints.at(-1);
  if (!main) throw new Error(`the tool ${name} has no endpoint`);
  return main;
}

/** The endpoint that the arguments choose. Undefined if there is none of this type. */
export function chooseVariant({ endpoints }: Definition, input: Input): Variant | undefined {
  return endpoints.find(
    ({ type, given, is }) =>
      (type === undefined || type === input.type) &&
      (given === undefined ||
        (is === undefined ? input[given] !== undefined && input[given] !== null : input[given] === is)),
  );
}

/** The scope that a token needs to call a tool with an endpoint. */
export const scopeFor = ({ work }: Definition, { access }: Endpoint) => work?.scope ?? access.scope;

/** The kinds of data, or the one endpoint, that a token with these scopes can use. */
export function allowedEndpoints(tool: Definition, scopes: readonly string[]): Definition['endpoints'] {
  return tool.endpoints.filter(({ endpoint }) => {
    const scope = scopeFor(tool, endpoint);
    return scope === undefined || scopes.includes(scope);
  });
}

/** The mark of a tool that the token cannot use, which says what it lacks. */
export const marked = (scope: string, description: string) => `[needs ${scope}] ${description}`;

/** The scope that a tool needs, as it is shown: tools for any kind of data need the scope of one. */
function shownScope(tool: Tool): string {
  const { type, endpoint } = mainVariant(tool);
  const scope = String(scopeFor(tool, endpoint));
  return type === undefined ? scope : scope.replace(type, '<type>');
}

/** The tool as it is listed for a token. One that it cannot use is marked, so that the agent can ask for the scope. */
export function describeTool(tool: Tool, scopes: readonly string[]): ListedTool {
  const allowed = allowedEndpoints(tool, scopes);
  const isAllowed = allowed.length > 0;
  const { name, title } = tool;
  const description = isAllowed ? tool.description : marked(shownScope(tool), tool.description);
  const taken = tool.takes();
  const types = new Set((isAllowed ? allowed : tool.endpoints).flatMap(({ type }) => type ?? []));
  const properties = types.size > 0 ? { ...taken.properties, type: { enum: [...types] } } : taken.properties;
  const inputSchema = {
    type: 'object',
    properties: shortenAll(properties),
    ...(taken.required.length > 0 && { required: taken.required }),
  };
  return {
    name,
    title,
    description,
    // Our type of a schema has fewer fields than the SDK's.
    inputSchema: inputSchema as unknown as ListedTool['inputSchema'],
    outputSchema: tool.outputSchema() as unknown as NonNullable<ListedTool['outputSchema']>,
    annotations: annotate(tool),
  };
}

/** The hints of a tool. Those that are the default of the protocol, or mean nothing for it, are left out. */
function annotate({ effect, reachesOut }: Definition): ListedTool['annotations'] {
  const hint = effect === 'read' ? { readOnlyHint: true } : { destructiveHint: effect === 'destructive' };
  return { ...hint, ...(reachesOut ? {} : { openWorldHint: false }) };
}
