/** Reads bodies within a limit and a deadline. */

/** Finds the visitor's address behind trusted proxies. */
export { createClientAddress } from './access/client-address.ts';
/** Reads and writes this service's cookies. */
export { type CookieJar, createCookieJar } from './access/cookies.ts';
/** Who may come in, by which credential. */
export { type Actor, GATE, type Identities } from './access/gate.ts';
/** Tells a person's navigation from a script's request. */
export { isNavigation } from './access/navigation.ts';
export { readBody } from './body/body.ts';
/** Ends what a request's body takes up. */
export { releaseBody } from './body/body-memory.ts';
/** Takes in what is left of a body before its connection is closed. */
export { drainBody } from './body/discard.ts';
/** Reads forms with files. */
export { readMultipart } from './body/multipart.ts';
/** Reads JSON and forms, within their limits. */
export { readJson, senderOf } from './body/structured-body.ts';
/** Structured logs. */
export { createLog, type Log } from './log.ts';
/** Puts routes behind the gate. */
export { type Handler, mount } from './mount.ts';
/** Ids that join an answer to its log lines. */
export { createRequestIds } from './request-id.ts';
/** Bytes compressed once, for everybody who asks. */
export { isKnown, makeVariants, pickVariant, sendVariants, type Variants } from './response/encodings.ts';
/** Turns errors into responses. */
export { createRespondToError, type RespondToError } from './response/error-response.ts';
/** Streams of server-sent events. */
export {
  EVENT_STREAM_HEADERS,
  EventStreams,
  encodeEvent,
  KEEP_ALIVE,
} from './response/event-stream.ts';
/** Answers that are JSON already. */
export { type JsonText, jsonText } from './response/json-response.ts';
/** Leads people on. */
export { seeOther, toLogin } from './response/redirect.ts';
/** How an endpoint is described. */
export { type Answer, type Route, type RouteDescription, route, signedIn } from './route.ts';
/** Tells paths that programs read from those that people read. */
export { isForPrograms } from './run-route.ts';
/** Parses outside values. */
export { badRequest, validate } from './validate.ts';
/** Who sent a request, and what is known of it. */
export { bearerOf, createWhoIs, LOGIN_COOKIE, PAGE_COOKIE, type Visit, type WhoIs } from './visit.ts';
