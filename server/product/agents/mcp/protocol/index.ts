/** An MCP server at one address: transport, origins, limits, cancellation. */
export { McpEndpoint, type Sender } from './endpoint.ts';
/** The offer of an MCP server. */
export type { Exchange, Offer, ToolOutcome } from './offer.ts';
/** The position that a cursor stands for. */
export { parseCursor } from './pages.ts';
