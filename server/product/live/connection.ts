import { LIVE_CLOSE, MAX_LIVE_CHANNELS, MAX_LIVE_MESSAGE_BYTES } from '../../../contract/live/limits.ts';
import { type LiveEvent, LiveRequest } from '../../../contract/live/messages.ts';
import { AppError, PublicError } from '../../lib/errors.ts';
import { TokenBucket } from '../../platform/coordination/limits/index.ts';
import type { ServerSocket, SocketSession } from '../../platform/http/index.ts';
import type { Member } from './channel.ts';
import {
  MAX_CHANNELS_OF_PAGE,
  MAX_REQUEST_BYTES,
  MAX_UNREAD_BYTES,
  REFUSALS_AT_ONCE,
  REFUSALS_PER_SECOND,
} from './limits.ts';
import type { LivePage } from './live-page.ts';
import { channelBusy } from './refusals.ts';
import type { Visitor } from './visitor.ts';

/** The part of the hub that a connection uses. */
export interface Surroundings {
  /** The id of this tab among all tabs. */
  tab: string;
  page: LivePage;
  /** Counts one request of the visitor towards the rate limit, or throws. */
  takeRequest(): void;
  /** Counts the deliveries of one message towards the rate limit, or throws. */
  takeDeliveries(recipients: number): void;
  onClose(): void;
}

/** The connection of one tab. */
export class Connection implements SocketSession, Member {
  /** The channels that this tab is in. */
  readonly #channels = new Set<string>();
  readonly #refusals = new TokenBucket(REFUSALS_PER_SECOND, REFUSALS_AT_ONCE);
  #socket: ServerSocket | undefined;
  /** Set if the connection is closed before it is open. */
  #closing: [code: number, reason: string] | undefined;
  /** When access was last checked, as `performance.now()`. */
  checkedAt = performance.now();
  keptAliveAt = performance.now();

  constructor(
    readonly visitor: Visitor,
    private readonly around: Surroundings,
  ) {}

  get person() {
    return this.visitor.person;
  }

  get isListed() {
    return !this.visitor.isCheck;
  }

  get page(): LivePage {
    return this.around.page;
  }

  open(socket: ServerSocket): void {
    if (this.#closing) {
      socket.close(...this.#closing);
      return;
    }
    this.#socket = socket;
    this.#answer({ type: 'welcome', you: this.person, tab: this.around.tab });
  }

  message(data: string | Uint8Array): void {
    if (!this.#socket) return;
    let ref: number | undefined;
    try {
      this.around.takeRequest();
      const request = readRequest(data);
      ref = request.ref;
      this.#take(request);
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      this.#refuse(error, ref ?? refIn(data));
    }
  }

  drained(): void {}

  closed(): void {
    this.#end();
    this.around.onClose();
  }

  subscribe(topic: string): void {
    this.#socket?.subscribe(topic);
  }

  unsubscribe(topic: string): void {
    this.#socket?.unsubscribe(topic);
  }

  checkUnread(): void {
    const socket = this.#socket;
    if (socket && socket.countUnread() > MAX_UNREAD_BYTES) socket.terminate();
  }

  keepAlive(): void {
    this.keptAliveAt = performance.now();
    this.#send('');
  }

  /** Closes the connection. Nothing is sent or received after this, however long the client takes to close its side. */
  close(code: number, reason: string): void {
    const socket = this.#socket;
    this.#closing = [code, reason];
    this.#end();
    socket?.close(code, reason);
  }

  #end(): void {
    for (const channel of this.#channels) this.page.leave(channel, this);
    this.#channels.clear();
    this.#socket = undefined;
  }

  #send(frame: string): void {
    if (this.#socket?.send(frame) === -1) this.checkUnread();
  }

  #take(request: LiveRequest): void {
    if (request.type === 'send') this.#sendMessage(request);
    else if (request.type === 'join') this.#join(request);
    else {
      this.#channels.delete(request.channel);
      this.page.leave(request.channel, this);
    }
  }

  #join({ channel, ref }: LiveRequest): void {
    if (!this.#channels.has(channel)) this.#assertRoom(channel);
    this.#channels.add(channel);
    this.#answer({ type: 'joined', ref, channel, presence: this.page.join(channel, this) });
  }

  #assertRoom(channel: string): void {
    if (this.#channels.size >= MAX_LIVE_CHANNELS)
      throw new AppError(
        'QUOTA_EXCEEDED',
        'A tab can be in {count} channels. Leave one first: channel.leave().',
        { count: MAX_LIVE_CHANNELS },
      );
    const { channels } = this.page;
    if (!channels.has(channel) && channels.size >= MAX_CHANNELS_OF_PAGE)
      throw new AppError(
        'QUOTA_EXCEEDED',
        'This page has {count} channels in use, which is the limit. Use one of them.',
        { count: MAX_CHANNELS_OF_PAGE },
      );
  }

  #sendMessage({ channel, ref, message }: Extract<LiveRequest, { type: 'send' }>): void {
    const joined = this.#channels.has(channel) ? this.page.channels.get(channel) : undefined;
    if (!joined)
      throw new AppError('CONFLICT', 'Join the channel {channel} before you send to it.', { channel });
    const line = encodeMessage({ channel, from: this.person, tab: this.around.tab, ref, message });
    // A check of the page must not publish anything. The response is as if it had.
    if (this.visitor.isCheck) {
      this.#send(line);
      return;
    }
    if (joined.delivery.isFull) throw channelBusy();
    this.around.takeDeliveries(joined.delivery.size + joined.presence.size);
    this.page.publish(channel, line);
  }

  #answer(event: LiveEvent): void {
    this.#send(JSON.stringify(event));
  }

  #refuse(error: PublicError, ref: number | undefined): void {
    if (this.#refusals.take(Math.round(performance.now())) > 0) {
      this.close(LIVE_CLOSE.abuse, 'Too many refused requests. Send less.');
      return;
    }
    const { error: text, code } = error.toBody() as { error: string; code: AppError['code'] };
    const retryAfter = error.headers['retry-after'];
    this.#answer({
      type: 'refused',
      code,
      error: text,
      ...(ref !== undefined && { ref }),
      ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
    });
  }
}

/** The line with a message. Throws if it is too large. */
export function encodeMessage(event: Omit<Extract<LiveEvent, { type: 'message' }>, 'type'>): string {
  const bytes = Buffer.byteLength(JSON.stringify(event.message));
  if (bytes > MAX_LIVE_MESSAGE_BYTES) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      'A message can have {size} KB as JSON. This one has {bytes} bytes. Store larger things as a record and send its id.',
      { size: MAX_LIVE_MESSAGE_BYTES / 1024, bytes },
    );
  }
  return JSON.stringify({ type: 'message', ...event });
}

function readRequest(data: string | Uint8Array): LiveRequest {
  if (typeof data !== 'string') throw new AppError('BAD_REQUEST', 'Send text, not bytes.');
  if (data.length > MAX_REQUEST_BYTES)
    throw new AppError('PAYLOAD_TOO_LARGE', 'A request can have {size} KB. Send less.', {
      size: MAX_REQUEST_BYTES / 1024,
    });
  const parsed = LiveRequest.safeParse(parse(data));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const isName = issue?.path.at(-1) === 'channel';
  throw new AppError(
    'BAD_REQUEST',
    isName
      ? 'A channel name has 1 to 64 letters, digits or _ . : -, and begins with a letter or digit.'
      : 'This is not a request: send {"type":"join","ref":1,"channel":"room"}, "leave", or "send" with a message.',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The number of a request that was refused before it was read. */
function refIn(data: string | Uint8Array): number | undefined {
  const found = typeof data === 'string' ? /"ref":(\d{1,15})\b/.exec(data.slice(0, 200)) : null;
  return found ? Number(found[1]) : undefined;
}
