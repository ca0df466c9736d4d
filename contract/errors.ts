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
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SLUG_TAKEN: 409,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  DEPLOY_FAILED: 422,
  VALIDATION_FAILED: 422,
  /** Only a WebSocket can be opened here. */
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
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
}

/** The most faults that one response names. Nobody reads more, and a request can have a hundred thousand. */
export const MAX_FAULTS = 50;
