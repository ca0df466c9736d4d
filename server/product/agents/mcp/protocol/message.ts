/** Checks and splits messages before the SDK sees them. */

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A refusal of a message that the SDK never sees, as JSON text. */
export function refusalText(code: number, message: string, request?: unknown): string {
  const id = isObject(request) && isId(request.id) ? request.id : null;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

const MAX_ID_CHARACTERS = 1_000;

export function isId(value: unknown): value is string | number {
  return typeof value === 'string' ? value.length <= MAX_ID_CHARACTERS : Number.isSafeInteger(value);
}

/** A message, and the arguments of a tool, which only the tool reads. */
interface SplitMessage {
  message: unknown;
  input: Fields | undefined;
}

/**
 * Takes the arguments of a tool out of its message. They can be a whole page or a hundred thousand values, and the SDK
 * checks and copies a message several times.
 */
export function splitMessage(message: unknown): SplitMessage {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) {
    return { message, input: undefined };
  }
  const { arguments: input, ...params } = message.params;
  if (!isObject(input)) return { message, input: undefined };
  return { message: { ...message, params: { ...params, arguments: {} } }, input };
}

const MAX_VALUES = 1_000;
const MAX_CHARACTERS = 64 * 1024;
/** The refusal of a message that is too large even without its arguments. */
export const tooLarge = () =>
  `A message must have at most ${MAX_VALUES.toLocaleString('en')} values and ${MAX_CHARACTERS.toLocaleString('en')} characters, without the arguments of a tool.`;

/** True if the message is small enough to be copied a few times. Stops at the first value too many. */
export function isSmall(message: unknown): boolean {
  let values = 0;
  let characters = 0;
  const waiting = [message];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') characters += value.length;
    else if (Array.isArray(value)) {
      if (value.length > MAX_VALUES) return false;
      waiting.push(...value);
    } else if (isObject(value)) {
      const names = Object.keys(value);
      if (names.length > MAX_VALUES) return false;
      for (const name of names) {
        characters += name.length;
        waiting.push(value[name]);
      }
    }
    values++;
    if (values + waiting.length > MAX_VALUES || characters > MAX_CHARACTERS) return false;
  }
  return true;
}
