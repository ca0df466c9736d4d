import { EXCEPTION_HEADER, type ExceptionKind } from '../../../workers/protocol.ts';

/** The response of a cell. Small bodies are read completely, larger ones are streamed. */
export interface CellAnswer {
  /** True if the owner's code ended without a response. The other fields must not be passed on then. */
  threw: boolean;
  /** Why the owner's code ended without a response. */
  exception: ExceptionKind | undefined;
  status: number;
  headers: Headers;
  whole?: ArrayBuffer;
  stream?: { body: ReadableStream<Uint8Array>; done(): void };
}

/** A body up to this size is read completely, so that the call is over before the response is sent. */
const SMALL_BYTES = 256 * 1024;

/** Reads the response from the cell's socket. If the body is streamed, `done` is called when it ends. */
export async function readAnswer(
  response: Response,
  method: string | undefined,
  done: () => void,
): Promise<CellAnswer> {
  const { status, headers } = response;
  const exception = headers.get(EXCEPTION_HEADER);
  const answer: CellAnswer = {
    threw: exception !== null,
    exception: (exception as ExceptionKind | null) ?? undefined,
    status,
    headers,
  };
  const length = headers.get('content-length');
  if (method !== 'HEAD' && length !== null && Number(length) <= SMALL_BYTES) {
    // Does not touch `body`, because reading that property creates a stream.
    answer.whole = await response.arrayBuffer();
    answer.threw ||= isFromWorkerd(answer);
  } else if (answer.threw) {
    // Owner code can set this header too. It is then treated as if it had thrown.
    await response.body?.cancel();
  } else if (response.body) {
    answer.stream = { body: response.body, done };
  }
  return answer;
}

/** True for workerd's own response if a handler ends without one, as by `process.exit()`: it has no content type. */
function isFromWorkerd({ status, headers, whole }: CellAnswer): boolean {
  if (status !== 500 || headers.has('content-type') || !whole) return false;
  return new TextDecoder().decode(whole) === 'Internal Server Error';
}
