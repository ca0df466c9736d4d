/** Reads bodies within a limit and a deadline. */
export { readBody, readJson } from './body.ts';
/** Finds the visitor's address behind trusted proxies. */
export { createClientAddress } from './client-address.ts';
/** Reads and writes this service's cookies. */
export { type CookieJar, createCookieJar } from './cookies.ts';
/** Expected failures, by code. */
export { AppError, ERROR_STATUS, type ErrorCode, type Fault, notFound, toFailure } from './errors.ts';
/** Streams of server-sent events. */
export { createEventStreams, type EventStream, type EventStreams, encodeEvent } from './event-stream.ts';
/** Schemas for the kinds of value that many slices take and return. */
export { idParams, queryNumber, shortText, text, timestamp, toTimestamp } from './fields.ts';
/** Who may come in, by which credential. */
export { type Access, type Actor, GATE, type Identities, isFromBaseOrigin } from './gate.ts';
/** Structured logs. */
export { createLog, type Log } from './log.ts';
/** Puts routes behind the gate. */
export {
  bearerOf,
  createWhoIs,
  LOGIN_COOKIE,
  mount,
  PAGE_COOKIE,
  PAGE_SESSION_HEADER,
  type Visit,
  type WhoIs,
} from './mount.ts';
/** Reads forms with files. */
export { type Part, readMultipart } from './multipart.ts';
/** Tells a person's navigation from a script's request. */
export { isNavigation } from './navigation.ts';
/** The API's description, made from the routes. */
export { openApiDocument } from './openapi.ts';
/** The API reference that people read, made from the same description. */
export { referencePage } from './reference-page.ts';
/** Ids that join an answer to its log lines. */
export { createRequestIds } from './request-id.ts';
/** How an endpoint is described. */
export { type Route, route, signedIn } from './route.ts';
/** Whole HTML pages in the service's own look. */
export { errorScreen, html, screen, screenRoutes } from './screen.ts';
/** Parses outside values. */
export { validate } from './validate.ts';
