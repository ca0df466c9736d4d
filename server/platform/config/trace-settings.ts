import { z } from 'zod';
import { about, httpUrl, word } from './setting-kinds.ts';

/** `name=value` pairs, separated by commas. Values are percent-encoded where they have a comma. */
const headers = z
  .string()
  .default('')
  .transform((text, { addIssue }) => {
    const parsed = parseHeaders(text);
    if (!parsed)
      addIssue('must be name=value pairs, separated by commas, such as authorization=Bearer%20abc');
    return parsed;
  })
  .transform((parsed) => parsed as NonNullable<typeof parsed>);

function parseHeaders(text: string): Record<string, string> | undefined {
  const parsed: Record<string, string> = {};
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const [, name, encoded = ''] = /^([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
    const value = decode(encoded);
    // A line break would begin another header.
    if (name === undefined || value === undefined || !/^[\x20-\x7e]*$/.test(value)) return undefined;
    parsed[name.toLowerCase()] = value;
  }
  return parsed;
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

const ratio = z.coerce
  .number('must be a number from 0 to 1')
  .min(0, 'must be a number from 0 to 1')
  .max(1, 'must be a number from 0 to 1');

/** Settings of traces, with the names that OpenTelemetry gives them. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: about(
    httpUrl
      .refine((text) => {
        const { username, password, search, hash } = new URL(text);
        return !username && !password && !search && !hash;
      }, 'must not have a password, query or fragment: set OTEL_EXPORTER_OTLP_HEADERS instead')
      .optional(),
    'Collector that [traces](operating.md#find-what-was-slow) are sent to with OTLP over HTTP, for example `http://localhost:4318`; `/v1/traces` is added',
    'none, and nothing is traced',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: about(
    headers,
    'Headers for the collector: `name=value` pairs, separated by commas, with percent-encoded values',
    'none',
  ),
  OTEL_TRACES_SAMPLER_ARG: about(ratio.default(0.01), 'Part of the requests that is traced, from 0 to 1'),
  OTEL_SERVICE_NAME: about(word.default('quire'), 'Name of this service in traces'),
} as const;
