/** Tabs that one page can have open at a node, and those of one address. An office can share an address. */
export const MAX_TABS_OF_PAGE = 10_000;
export const MAX_TABS_OF_ADDRESS = 100;
/** Channels of one page with somebody in them, at a node. */
export const MAX_CHANNELS_OF_PAGE = 1_000;

/**
 * Messages that the pages of one owner deliver, counted once for each recipient. Without it, a few hundred tabs that all
 * send as much as they may would keep a node busy: the work grows with the square of their number. The tabs of one address
 * get half of it at most, so that a stranger cannot silence all others.
 */
export const DELIVERIES_PER_SECOND = 100_000;
export const DELIVERIES_AT_ONCE = 200_000;

/** Refused requests per second after which a tab is disconnected. The SDK never sends so many. */
export const REFUSALS_PER_SECOND = 20;
export const REFUSALS_AT_ONCE = 200;

/** The largest request of a tab: a message, which can be twice as long before it is normalized, and what is around it. */
export const MAX_REQUEST_BYTES = 16 * 1024;
/** Unread bytes after which a tab is disconnected. */
export const MAX_UNREAD_BYTES = 512 * 1024;
