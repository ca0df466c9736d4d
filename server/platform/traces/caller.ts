/** Longer headers are not read. */
const MAX_LENGTH = 512;
const FIELDS = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** What a caller says of its own trace in `traceparent`; undefined if it says nothing, or nothing valid. */
export function readCaller(headers: Headers): { traceId: string; spanId: string } | undefined {
  const text = headers.get('traceparent');
  if (text === null || text.length > MAX_LENGTH) return undefined;
  const [, version, traceId = '', spanId = '', rest] = FIELDS.exec(text) ?? [];
  // Later versions can add fields, the first one has none. The last one is invalid.
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId };
}
