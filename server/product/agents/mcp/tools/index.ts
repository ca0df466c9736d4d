/** All tools for owners, and how they are described, called and marked. */
export { DEFINITIONS } from './definitions.ts';
export { assertScope, type Caller, type CallTool, createCallTool, type ToolExchange } from './run-tool.ts';
export { createTools, describeTool, type Tool } from './tools.ts';
