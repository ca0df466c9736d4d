/** An MCP server at one address: transport, origins, limits, cancellation. */
export { McpEndpoint, type Sender } from './endpoint.ts';
/** What such a server has to offer. */
export type { Exchange, Offer, ToolOutcome } from './offer.ts';
/** The position that a cursor stands for. */
export { positionOf } from './pages.ts';
