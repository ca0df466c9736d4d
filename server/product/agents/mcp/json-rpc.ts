/** Messages of JSON-RPC 2.0, as the Model Context Protocol restricts them: an id is never null. */

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;

type Id = string | number;

/** A call that expects a response. */
export interface Call {
  id: Id;
  method: string;
  params: Record<string, unknown>;
}

/** The kind of a message: a call, one without a response, or neither. */
export type Message = { call: Call } | 'no answer' | { fault: RpcError; id: Id | null };

/** A protocol error. An error of a tool is a result instead. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** An encoded response. */
export type Answer = Record<string, unknown> & { jsonrpc: '2.0' };

export const success = (id: Id, result: unknown): Answer => ({ jsonrpc: '2.0', id, result });

export function failure(id: Id | null, { code, message, data }: RpcError): Answer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Classifies a message. Responses are ignored, because this server sends no requests to its clients. */
export function readMessage(message: unknown): Message {
  const invalid = (text: string, id: Id | null = null) => ({
    fault: new RpcError(INVALID_REQUEST, text),
    id,
  });
  if (!isObject(message)) return invalid('A message is a JSON object.');
  const { jsonrpc, method, params = {} } = message;
  const id = isId(message.id) ? message.id : null;
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0".', id);
  if (method === undefined && ('result' in message || 'error' in message)) return 'no answer';
  if (typeof method !== 'string') return invalid('method must be a string.', id);
  if (!('id' in message)) return 'no answer';
  if (id === null) return invalid('id must be a string or a whole number.');
  if (!isObject(params)) return { fault: new RpcError(INVALID_PARAMS, 'params must be an object.'), id };
  return { call: { id, method, params } };
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
