/** Reads bodies within a limit and a deadline. */
export { readBody } from './body.ts';
/** Ends what a request's body takes up. */
export { releaseBody } from './body-room.ts';
/** Finds the visitor's address behind trusted proxies. */
export { createClientAddress } from './client-address.ts';
/** Reads and writes this service's cookies. */
export { type CookieJar, createCookieJar } from './cookies.ts';
/** Takes in what is left of a body before its connection is closed. */
export { drainBody } from './discard.ts';
/** Bytes compressed once, for everybody who asks. */
export { isKnown, makeVariants, pickVariant, sendVariants, type Variants } from './encodings.ts';
/** Failures as people see them. */
export { errorScreen } from './error-screen.ts';
/** Expected failures, by code. */
export { AppError, ERROR_STATUS, type ErrorCode, type Fault, notFound, toFailure } from './errors.ts';
/** Streams of server-sent events. */
export {
  createEventStreams,
  EVENT_STREAM_HEADERS,
  type EventStreams,
  encodeEvent,
  KEEP_ALIVE,
} from './event-stream.ts';
/** Schemas for the kinds of value that many slices take and return. */
export {
  binary,
  Done,
  idOrSlugParams,
  idParams,
  list,
  queryNumber,
  shortText,
  text,
  timestamp,
  toTimestamp,
} from './fields.ts';
/** Who may come in, by which credential. */
export { type Actor, GATE, type Identities } from './gate.ts';
/** Answers that are JSON already. */
export { type JsonText, jsonText } from './json-answer.ts';
/** Structured logs. */
export { createLog, type Log } from './log.ts';
/** Puts routes behind the gate. */
export {
  bearerOf,
  createWhoIs,
  type Handler,
  isForPrograms,
  LOGIN_COOKIE,
  mount,
  PAGE_COOKIE,
  type Visit,
  type WhoIs,
} from './mount.ts';
/** Reads forms with files. */
export { readMultipart } from './multipart.ts';
/** Tells a person's navigation from a script's request. */
export { isNavigation } from './navigation.ts';
/** Leads people on. */
export { seeOther, toLogin } from './redirect.ts';
/** Ids that join an answer to its log lines. */
export { createRequestIds } from './request-id.ts';
/** How an endpoint is described. */
export { type Answer, type Route, type RouteDescription, route, signedIn } from './route.ts';
/** Whole HTML pages in the service's own look. */
export {
  askedAs,
  brand,
  type Html,
  html,
  inlineHash,
  SCREEN_ICON,
  SCREEN_STYLES,
  screen,
  screenHeaders,
} from './screen.ts';
/** Reads JSON and forms, within their limits. */
export { readJson, senderOf } from './structured-body.ts';
/** Parses outside values. */
export { badRequest, validate } from './validate.ts';
