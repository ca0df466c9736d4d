import pino from 'pino';

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

/** One JSON object a line. Bodies, headers and query strings are never logged; the names above are the second net. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields, 2) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Pino can do this by itself, but takes longer for it than for all the rest of a line. */
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
