/** All tools for owners, and how they are described, called and marked. */

export { type Input, TOOL_GROUPS, type ToolGroup } from './definition.ts';
export { TOOLS } from './definitions.ts';
export { GUIDES } from './docs-tools.ts';
export { toCallResult } from './results/result.ts';
export {
  assertScope,
  type CallTool,
  createCallTool,
  type ToolCaller,
  type ToolExchange,
} from './run-tool.ts';
export { allowedEndpoints, describeTool, type Tool } from './tools.ts';
