import { sessionEndpoints } from '../../../../../contract/accounts/session-endpoints.ts';
import { dataTools } from './data-tools.ts';
import { tool } from './definition.ts';
import { docsTool } from './docs-tools.ts';
import { fileTools } from './files/file-tools.ts';
import { formTools } from './form-tools.ts';
import { functionTools } from './function-tools.ts';
import { jobTools } from './job-tools.ts';
import { pageTools } from './page-tools.ts';
import { branchTools } from './sites/branch-tools.ts';
import { domainTools } from './sites/domain-tools.ts';
import { draftTools } from './sites/draft-tools.ts';
import { importTools } from './sites/import-tools.ts';
import { teamTools } from './team-tools.ts';
import { createTool, type Tool } from './tools.ts';

/** All tools of the MCP server for owners. */
export const TOOLS: readonly Tool[] = [
  tool(sessionEndpoints.getMe, {
    name: 'whoami',
    title: 'Who am I',
    description: 'The account behind the token: id, username, credits.',
    effect: 'read',
  }),
  docsTool,
  ...pageTools,
  ...draftTools,
  ...branchTools,
  ...importTools,
  ...domainTools,
  ...formTools,
  ...functionTools,
  ...jobTools,
  ...fileTools,
  ...dataTools,
  ...teamTools,
].map(createTool);
