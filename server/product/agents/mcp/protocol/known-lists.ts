import { isId, isObject } from './message.ts';
import { HANDSHAKE_VERSIONS } from './versions.ts';

/**
 * The responses to `tools/list`. This is by far the longest response that a short message gets, and equal for
 * everyone with the same scopes, so it is checked and written once for each list and revision.
 */
export class KnownLists {
  /** The results as JSON, by list and revision. */
  readonly #results = new WeakMap<object, Map<string, string>>();

  /** Responds to a message with a known list, or with the result of `respond`. */
  async respond(
    {
      request,
      message,
      list,
      isStructured,
    }: { request: Request; message: unknown; list: () => object; isStructured: boolean },
    respond: () => Promise<Response>,
  ): Promise<Response> {
    const version = request.headers.get('mcp-protocol-version') ?? '';
    if (!isPlainList(message) || (version !== '' && !HANDSHAKE_VERSIONS.includes(version))) return respond();
    const results = this.#findResults(list());
    const key = isStructured ? version : `${version} text`;
    const known = results.get(key);
    if (known !== undefined) return answer(message.id, known);
    const response = await respond();
    if (!response.ok) return response;
    const { result } = (await response.json()) as { result?: unknown };
    const text = JSON.stringify(result ?? {});
    results.set(key, text);
    return answer(message.id, text);
  }

  #findResults(list: object): Map<string, string> {
    const known = this.#results.get(list) ?? new Map<string, string>();
    this.#results.set(list, known);
    return known;
  }
}

/** Whether a message asks for the first page of the list, and for nothing else. */
function isPlainList(message: unknown): message is { id: string | number } {
  if (!isObject(message)) return false;
  const { jsonrpc, id, method, params = {}, ...rest } = message;
  const isEmpty = isObject(params) && Object.keys(params).length + Object.keys(rest).length === 0;
  return jsonrpc === '2.0' && method === 'tools/list' && isId(id) && isEmpty;
}

function answer(id: string | number, result: string): Response {
  const text = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
