/** All tools for owners, and how they are described, called and marked. */
export { TOOLS } from './definitions.ts';
export { assertScope, type Caller, type CallTool, createCallTool, type ToolExchange } from './run-tool.ts';
export { describeTool, type Tool } from './tools.ts';
