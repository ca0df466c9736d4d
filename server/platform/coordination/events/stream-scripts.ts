/**
 * A channel is a Redis stream while it has followers, and for a while after. Events use the ids of the stream, so that
 * ids mean the same on every node. Both scripts are atomic: events are delivered in the order of the stream.
 */

/** Comes before every id: the position of a follower that started while Redis was unavailable. */
export const NOWHERE = '0-0';

/** The key of a time. Events from before that time may be missing on any node. */
export const ERA_KEY = 'events-era';

/** Arguments: the publisher's mark, the message (empty if events were lost), how many events to keep. */
export const PUBLISH = `
local id = '${NOWHERE}'
if redis.call('EXISTS', KEYS[1]) == 1 then
  id = redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[3], '*', 'm', ARGV[2])
end
redis.call('PUBLISH', KEYS[1], id .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
`;

/**
 * Arguments: the id to resume after, or empty; how long to keep the channel; `ERA_KEY` with its prefix. Returns the
 * newest id and, if none are missing, the events from the requested id on, including that one.
 */
export const OPEN = `
local era = tonumber(redis.call('GET', ARGV[3]) or '0')
local function isOld(id) return tonumber(string.match(id, '^%d+')) <= era end
local newest = redis.call('EXISTS', KEYS[1]) == 1 and redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local last = newest and newest[1]
if not last or isOld(last) then last = redis.call('XADD', KEYS[1], '*', 'opened', '') end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if ARGV[1] == '' or isOld(ARGV[1]) then return {last} end
local found = redis.call('XRANGE', KEYS[1], ARGV[1], '+')
if #found == 0 or found[1][1] ~= ARGV[1] then return {last} end
return {last, found}
`;

const MAX_EVENTS = 1_000;
/** A channel of large events keeps fewer of them. */
const MAX_BYTES = 2 * 1024 * 1024;

/** How many events a channel keeps after an event of this size. */
export function eventsToKeep(bytes: number): number {
  return Math.max(1, Math.min(MAX_EVENTS, Math.floor(MAX_BYTES / Math.max(1, bytes))));
}

export function isId(text: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(text);
}

export function isAfter(id: string, other: string): boolean {
  const [ms = 0, number = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherNumber = 0] = other.split('-').map(Number);
  return ms === otherMs ? number > otherNumber : ms > otherMs;
}

/** Parses a message that PUBLISH sent. */
export function readSent(sent: string): { id: string; mark: string; text: string } {
  const idEnd = sent.indexOf(' ');
  const markEnd = sent.indexOf(' ', idEnd + 1);
  return {
    id: sent.slice(0, idEnd),
    mark: sent.slice(idEnd + 1, markEnd),
    text: sent.slice(markEnd + 1),
  };
}

/** Parses the result of OPEN. `missed` are the events after the requested id; undefined if some are unknown. */
export function readOpened(answer: unknown): {
  lastId: string;
  missed: [id: string, text: string][] | undefined;
} {
  const [lastId, found] = answer as [string, Array<[string, [field: string, text: string]]> | undefined];
  if (!found) return { lastId, missed: undefined };
  const events = found.slice(1).filter(([, [field]]) => field === 'm');
  const isWhole = events.every(([, [, text]]) => text !== '');
  return { lastId, missed: isWhole ? events.map(([id, [, text]]) => [id, text]) : undefined };
}
