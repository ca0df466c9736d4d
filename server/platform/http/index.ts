/** Which hosts the service itself responds to. */

/** Which credentials each kind of access accepts. */
export { GATE, type Rule } from '../../../contract/access-kinds.ts';
export { type AcceptsHost, createAcceptsHost, withoutPort } from './access/accepted-hosts.ts';
/** Where a client learns how to get a token. */
export { resourceMetadataUrl } from './access/challenge.ts';
/** Finds the visitor's address behind trusted proxies. */
export { createClientAddress } from './access/client-address.ts';
/** Reads and writes this service's cookies. */
export { type CookieJar, createCookieJar } from './access/cookies.ts';
/** Lets scripts without an origin request files of pages. */
export { filePreflight } from './access/cors.ts';
/** Who calls, and how that is found out. */
export type { Actor, Identities } from './access/gate.ts';
export { createHostMatcher, type HostMatcher } from './access/host-matcher.ts';
/** Distinguishes a person's navigation from a script's request. */
export { isNavigation } from './access/navigation.ts';
/** What one trial may store. */
export { TrialShare } from './access/trial-share.ts';
/** Reads bodies within a limit and a deadline. */
export { readBody, readLength, readRawBody } from './body/body.ts';
/** Frees the memory reserved for a request's body. Shares a limited number of bytes fairly between senders. */
export { createBodyMemory, releaseBody, withReserved } from './body/body-memory.ts';
/** Reads the rest of a body before its connection is closed. */
export { whenReadable } from './body/discard.ts';
/** Reads forms with files. */
export { readMultipart } from './body/multipart.ts';
/** Limits how much of one connection is parsed without a pause. */
export { limitReceiveBuffers } from './body/receive-buffers.ts';
/** Writes large bodies to a file. */
export { spoolBody } from './body/spool.ts';
/** Reads JSON and form bodies within their limits. */
export { identifySender, readJson } from './body/structured-body.ts';
/** Screens are in the language of the person who opens them. */
export { language, withRequestLanguage } from './language.ts';
/** Structured logs. */
export { createLog, type Log } from './log.ts';
/** Puts routes behind the gate. */
export { type Handler, mount } from './mount.ts';
/** Calls the API on behalf of a caller. */
export { callApi, type OwnApi, type OwnCaller, openApiStream, requireApi } from './own-api.ts';
/** Ids that link a response to its log lines. */
export { createRequestIds } from './request-id.ts';
/** Whether a program asks for Markdown. */
export { wantsMarkdown } from './response/accept-markdown.ts';
/** Distinguishes headers of authors from those that something acts on. */
export { isCustomHeader } from './response/custom-headers.ts';
/** Files that are downloaded, never shown. */
export { attachment, downloadHeaders, parseContentType } from './response/download.ts';
/** Bytes that are compressed once and sent to many clients. */
export {
  isKnown,
  makeVariants,
  pickVariant,
  sendVariants,
  type Variant,
  type Variants,
} from './response/encodings.ts';
export { createRespondToError, type RespondToError } from './response/error-response.ts';
/** Streams of server-sent events. */
export {
  EVENT_STREAM_HEADERS,
  type EventStream,
  EventStreams,
  encodeEvent,
  KEEP_ALIVE,
  keepAlive,
} from './response/event-stream.ts';
/** Responses that are already JSON text. */
export { type JsonText, jsonText } from './response/json-response.ts';
/** Sends large bodies in turns. */
export {
  findLargeBody,
  isLarge,
  LargeBodies,
  type SizedBody,
  withLength,
  withSize,
} from './response/large/large-bodies.ts';
/** Redirects. */
export { seeOther, toLogin } from './response/redirect.ts';
/** How an endpoint is described. */
export {
  handle,
  type Route,
  route,
  type SignedInCaller,
} from './route.ts';
/** Distinguishes paths that programs read from those that people read. */
export { isForPrograms } from './run-route.ts';
/** WebSockets. */
export type { OpenSocket } from './sockets/open-socket.ts';
export type { ServerSocket, SocketSession } from './sockets/session.ts';
export { Sockets } from './sockets/sockets.ts';
/** How a handler answers with a WebSocket. */
export { asksForSocket, MAX_MESSAGE_BYTES, offeredProtocols, Upgrade } from './sockets/upgrade.ts';
/** Parses outside values. */
export { validate } from './validate.ts';
/** Identifies who sent a request. */
export {
  type Caller,
  createPassFor,
  createWhoIs,
  isFromOrigin,
  LOGIN_COOKIE,
  PAGE_COOKIE,
  type PageHost,
  type PageVisitor,
  passCookie,
  readBearer,
  readPageSession,
  type SocketServer,
  type Visit,
  type WhoIs,
} from './visit.ts';
