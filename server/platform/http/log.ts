import pino from 'pino';
import { currentSpan } from '../traces/index.ts';

export type Log = pino.Logger;

const SECRET_NAMES = new Set([
  'password',
  'token',
  'accessToken',
  'refreshToken',
  'secret',
  'authorization',
  'cookie',
]);

/** Logs one JSON object per line. Never log bodies, headers or query strings; redaction is only a second safeguard. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => redact(withTrace(fields), 2) },
  };
  return pino(options, destination ?? new TurnWriter());
}

/** Writes the lines of one turn of the event loop together. A busy server would otherwise make a system call for each. */
class TurnWriter implements pino.DestinationStream {
  private lines = '';

  constructor() {
    process.on('exit', () => this.flush());
  }

  write(line: string): void {
    if (this.lines === '') setImmediate(() => this.flush());
    this.lines += line;
  }

  private flush(): void {
    if (this.lines !== '') process.stdout.write(this.lines);
    this.lines = '';
  }
}

/** Adds the id of the trace that the line belongs to. */
function withTrace(fields: Record<string, unknown>): Record<string, unknown> {
  const span = currentSpan();
  return span ? { ...fields, traceId: span.trace.id } : fields;
}

/** Removes secrets. Pino's own redaction takes longer than the rest of a log line together. */
function redact(fields: Record<string, unknown>, levels: number): Record<string, unknown> {
  let redacted: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    const isPlain =
      typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    const shown = SECRET_NAMES.has(name)
      ? '[redacted]'
      : isPlain && levels > 1
        ? redact(value as Record<string, unknown>, levels - 1)
        : value;
    if (shown !== value) redacted = { ...(redacted ?? fields), [name]: shown };
  }
  return redacted ?? fields;
}
