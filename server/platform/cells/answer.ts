import { EXCEPTION_HEADER, type ExceptionKind } from '../../../workers/protocol.ts';

/** What a cell answered: small bodies whole, larger ones as they come. */
export interface CellAnswer {
  /** True when the owner's code ended without an answer; the rest is then nothing to pass on. */
  threw: boolean;
  /** Why it did. */
  exception: ExceptionKind | undefined;
  status: number;
  headers: Headers;
  whole?: ArrayBuffer;
  stream?: { body: ReadableStream<Uint8Array>; done(): void };
}

/** An answer this small is taken whole, so that the call is over when it is passed on. */
const SMALL_BYTES = 256 * 1024;

/** Reads what came from the cell's socket; `done` goes with a body that is streamed, to be called at its end. */
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
    // Without a look at `body`, which makes a stream of it.
    answer.whole = await response.arrayBuffer();
    answer.threw ||= isFromWorkerd(answer);
  } else if (answer.threw) {
    // Owner code that sets the mark by itself is taken at its word.
    await response.body?.cancel();
  } else if (response.body) {
    answer.stream = { body: response.body, done };
  }
  return answer;
}

/** What workerd says by itself when a handler ends without an answer, as by `process.exit()`: no owner's text lacks a type. */
function isFromWorkerd({ status, headers, whole }: CellAnswer): boolean {
  if (status !== 500 || headers.has('content-type') || !whole) return false;
  return new TextDecoder().decode(whole) === 'Internal Server Error';
}
