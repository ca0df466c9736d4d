/** Response headers, by name. */
const HEADERS = {
  'X-Request-Id': { type: 'string', description: 'Identifies the request in the server’s log.' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before you try again.' },
  'RateLimit-Limit': { type: 'integer', description: 'Requests allowed in the time window.' },
  'RateLimit-Remaining': { type: 'integer', description: 'Requests left in the time window.' },
  'RateLimit-Reset': { type: 'integer', description: 'Seconds until the time window ends.' },
  'WWW-Authenticate': { type: 'string', description: 'The type of credentials that are missing or invalid.' },
  'Set-Cookie': { type: 'string', description: 'The session cookie.' },
  'Content-Disposition': { type: 'string', description: 'The file name.' },
  'Content-Range': { type: 'string', description: 'Which part this is, and the size of the whole.' },
  ETag: { type: 'string', description: 'Identifies this version. Send it back as If-None-Match.' },
  Location: { type: 'string', description: 'Where to go instead.' },
} as const;

/** The header that every response has. */
const ALWAYS = 'X-Request-Id';

const BY_STATUS: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
};

/** The headers of a response. */
export function describeHeaders(
  status: number | 'default',
  further: readonly string[] = [],
): Record<string, { $ref: string }> {
  const names = [ALWAYS, ...(BY_STATUS[Number(status)] ?? []), ...further];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The targets of the references from `describeHeaders`. */
export function headerComponents(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, type }]) => [name, { description, schema: { type } }]),
  );
}
