/** All tools for owners, and how they are described, called and marked. */
export { TOOLS } from './definitions.ts';
export {
  assertScope,
  type CallTool,
  createCallTool,
  type ToolCaller,
  type ToolExchange,
} from './run-tool.ts';
export { allowedEndpoints, describeTool, type Tool } from './tools.ts';
