/**
 * The texts of workerd, V8 and their libraries that the server must recognize because there is no code for them. They
 * are all here. The test that each one names fails if a new workerd words it differently.
 */

/** V8 and the allocator, before they end the process. Tests: test/faults/functions-memory.test.ts. */
const OUT_OF_MEMORY =
  /"level":"fatal".*out of memory|^\d+ \S+\] tcmalloc: allocation failed|^Unable to allocate \d/;

export function isOutOfMemoryLine(line: string): boolean {
  return OUT_OF_MEMORY.test(line);
}

export interface ModuleError {
  kind: 'syntax' | 'no such module' | 'other';
  message: string;
  line: number;
  column: number;
}

/** workerd, about an owner's module that does not load. Tests: test/api/functions/deploy.test.ts. */
export function parseModuleError(output: string): ModuleError | undefined {
  // The message is a JSON string that may be cut off: code can be a single line of a megabyte.
  const quoted = /service main: (?:Uncaught )?((?:[^"\\]|\\.)*)/s.exec(output)?.[1];
  if (quoted === undefined) return undefined;
  const text = unquote(quoted).trim();
  const place = /at function\.js:(\d+)(?::(\d+))?/.exec(text);
  const message = text.replace(/\n[^\S\n]*at .*$/s, '').replaceAll('\n', ' ');
  const kind = classifyError(message);
  if (!place) return { kind, message, line: 1, column: 1 };
  // V8 counts the columns of a syntax error from 0, and those of a running program from 1.
  const column = Number(place[2] ?? 0) + (kind === 'syntax' ? 1 : 0);
  return { kind, message, line: Number(place[1]), column: Math.max(1, column) };
}

function classifyError(message: string): ModuleError['kind'] {
  if (message.startsWith('SyntaxError')) return 'syntax';
  return message.includes('No such module') ? 'no such module' : 'other';
}

/** Decodes the content of a JSON string. Returns it unchanged if it was cut off. */
function unquote(json: string): string {
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return json;
  }
}

/** workerd, about one of its own internal errors: the reference it gave to the worker, and the reason. */
export function parseInternalError(message: string): { reference: string; reason: string } | undefined {
  const reference = /wdErrId = (\w+)/.exec(message)?.[1];
  return reference === undefined
    ? undefined
    : { reference, reason: /failed: ([^\n]*)/.exec(message)?.[1] ?? '' };
}

/** The reference in the error that a worker got. */
export function internalErrorReference(error: string): string | undefined {
  return /reference = (\w+)/.exec(error)?.[1];
}

type ConnectFailure =
  | { code: 'not-public'; address: string }
  | { code: 'no-such-name' | 'untrusted-certificate' | 'other' };

/** Why workerd could not connect. Tests: messages.test.ts, test/faults/functions-egress.test.ts. */
export function parseConnectFailure(reason: string): ConnectFailure {
  const address = /connecting to (\S+) is not allowed/.exec(reason)?.[1];
  if (address !== undefined) return { code: 'not-public', address };
  if (reason.includes('lookup address')) return { code: 'no-such-name' };
  if (/TLS|certificate/i.test(reason)) return { code: 'untrusted-certificate' };
  return { code: 'other' };
}

export type ClusterProblem =
  | 'bucket-ignores-conditions'
  | 'bucket-refuses-keys'
  | 'no-such-bucket'
  | 'address-is-public'
  | 'address-is-wildcard'
  | 'address-is-elsewhere'
  | 'address-is-unknown';

const CLUSTER_PROBLEMS: ReadonlyArray<readonly [RegExp, ClusterProblem]> = [
  [/ignores conditional writes/, 'bucket-ignores-conditions'],
  [/is public, and traffic/, 'address-is-public'],
  [/is a wildcard/, 'address-is-wildcard'],
  [/\b(403|AccessDenied|SignatureDoesNotMatch|InvalidAccessKeyId)\b/, 'bucket-refuses-keys'],
  [/NoSuchBucket/, 'no-such-bucket'],
  [/Cannot assign requested address/, 'address-is-elsewhere'],
  [/Name or service not known/, 'address-is-unknown'],
];

/** Why workerd can never join the cluster. Tests: messages.test.ts, test/cluster/databases.test.ts. */
export function parseClusterProblem(output: string): ClusterProblem | undefined {
  return CLUSTER_PROBLEMS.find(([text]) => text.test(output))?.[1];
}

/** The reason that workerd printed when it did not start. Empty if there is none. */
export function startFailureReason(output: string): string {
  return /failed: .*/.exec(output)?.[0] ?? '';
}
