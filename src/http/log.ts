import pino from 'pino';

export type Log = pino.Logger;

const SECRET_NAMES = [
  'password',
  'token',
  'accessToken',
  'refreshToken',
  'secret',
  'authorization',
  'cookie',
];

/** One JSON object a line. Bodies, headers and query strings are never logged; this list is the second net. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
  return destination ? pino(options, destination) : pino(options);
}
