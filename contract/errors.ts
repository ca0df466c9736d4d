import { ENGLISH, type Sentence, type TextValues, type Translator } from './rules/texts/fill.ts';

/** Every error code that a client can get, with its status. */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  INVALID_SLUG: 400,
  INVALID_SQL: 400,
  UNAUTHORIZED: 401,
  INVALID_TOKEN: 401,
  INVALID_CREDENTIALS: 401,
  INSUFFICIENT_SCOPE: 403,
  FORBIDDEN: 403,
  QUOTA_EXCEEDED: 403,
  /** The page is protected from programs, or the token is only for branches: work on a branch instead. */
  PROTECTED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SLUG_TAKEN: 409,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  /** The request is for a host that the service does not serve. */
  MISDIRECTED: 421,
  DEPLOY_FAILED: 422,
  VALIDATION_FAILED: 422,
  /** Only a WebSocket can be opened here. */
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
  /** An administrator has taken the page or function down. */
  TAKEN_DOWN: 451,
  INTERNAL: 500,
  /** This server lacks a program that the operation needs. */
  NOT_INSTALLED: 501,
  UNAVAILABLE: 503,
  /** The write may have happened: check before sending it again. */
  OUTCOME_UNKNOWN: 503,
  INSUFFICIENT_STORAGE: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One fault of a body, a query or a record, by the path of the wrong value. */
export interface Fault {
  path: string;
  message: string;
  /** The message with places for its values, if it has any: the key of its translations. */
  text?: string | undefined;
  values?: TextValues | undefined;
}

/** A message in English, and what clients need to translate it if it has values. */
export const translatable = (sentence: string, values?: TextValues): Omit<Fault, 'path'> => ({
  message: ENGLISH.say(sentence, values),
  ...(values && { text: sentence, values }),
});

/** A fault of a value. The sentence goes on after the name of the value, such as `must not be empty`. */
export const fault = (path: string, sentence: string, values?: TextValues): Fault => ({
  path,
  ...translatable(sentence, values),
});

export const toFault = (path: string, { text, values }: Sentence): Fault => fault(path, text, values);

/** The most faults that one response names. Nobody reads more, and a request can have a hundred thousand. */
export const MAX_FAULTS = 50;

/** Where a deployed module is wrong. `file` is undefined for the main module. */
export interface CodePlace {
  file?: string | undefined;
  line: number;
  column: number;
}

const endAt = ({ file, line, column }: CodePlace) =>
  ` (${file === undefined ? '' : `${file}, `}line ${line}, column ${column})`;

/** Adds the place in the code to a message, for people who do not see the fields `file`, `line` and `column`. */
export const withPlace = (message: string, place: CodePlace) => message + endAt(place);

/** Removes the place in the code from a message, for programs that show it in another way. */
export function withoutPlace(message: string, place: CodePlace): string {
  const end = endAt(place);
  return message.endsWith(end) ? message.slice(0, -end.length) : message;
}

const operationPrefix = (index: number) => `Operation ${index}: `;

/** Adds the number of the operation to a message, for people who do not see the field `index`. */
export const withOperation = (message: string, index: number) => operationPrefix(index) + message;

/** Removes the number of the operation in a batch from a message. */
export function withoutOperation(message: string, index: number): string {
  const start = operationPrefix(index);
  return message.startsWith(start) ? message.slice(start.length) : message;
}

/** All faults in one sentence, in the language of `say`. */
export const sayFaults = (faults: readonly Fault[], { say }: Pick<Translator, 'say'> = ENGLISH): string => {
  const parts = faults.map(({ path, message, text = message, values }) => {
    const said = say(text, values);
    return path ? `${path}: ${said}` : said;
  });
  return `${parts.join('; ')}.`;
};

/** The message of an error response in the language of a translator, or in English if it has no translation. */
export function sayFailure(
  { error, text, values, details = [], index }: SaidFailure,
  translator: Translator,
): string {
  const own = index === undefined ? error : withoutOperation(error, index);
  if (translator.has(text ?? own)) return translator.say(text ?? own, values);
  if (details.length === 0 || sayFaults(details) !== own) return error;
  const said = sayFaults(details, translator);
  return said === own ? error : said;
}

/** The parts of an error response that its message can be translated with. */
export interface SaidFailure {
  error: string;
  text?: string | undefined;
  values?: TextValues | undefined;
  details?: Fault[] | undefined;
  index?: number | undefined;
}
