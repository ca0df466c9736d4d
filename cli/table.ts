import { adminActions } from './admin/actions.ts';
import { adminLists } from './admin/lists.ts';
import { accountCommands } from './client/account.ts';
import { login, logout, whoami } from './client/login.ts';
import { tokensCommands } from './client/tokens.ts';
import type { Command } from './command.ts';
import { dataExport } from './data/export.ts';
import { dataHistory, dataRestore } from './data/history.ts';
import { dataImport } from './data/import.ts';
import { dev } from './dev/dev.ts';
import { diff } from './diff/diff.ts';
import { examples } from './examples.ts';
import { formsCommands } from './forms/manage.ts';
import { functionsCall } from './functions/call.ts';
import { functionsJobs } from './functions/jobs.ts';
import { functionsLogs } from './functions/logs.ts';
import { functionsCommands } from './functions/manage.ts';
import { schedulesCommands } from './functions/schedules.ts';
import { secretsCommands } from './functions/secrets.ts';
import { functionsSql } from './functions/sql.ts';
import { functionsTriggers } from './functions/triggers.ts';
import { functionVersionCommands } from './functions/versions.ts';
import { importCommand } from './imports/import.ts';
import { mcp } from './mcp/mcp.ts';
import { pagesAccess } from './pages/access.ts';
import { pagesAnalytics } from './pages/analytics.ts';
import { pagesAttack } from './pages/attack/attack.ts';
import { branchesCommands } from './pages/branches/manage.ts';
import { pagesCheck } from './pages/check.ts';
import { domainsCommands } from './pages/domains.ts';
import { draftsCommands } from './pages/drafts/manage.ts';
import { pagesExport } from './pages/export/command.ts';
import { logs } from './pages/logs.ts';
import { pagesCommands } from './pages/manage.ts';
import { pagesPull } from './pages/pull.ts';
import { pagesPush } from './pages/push.ts';
import { repairsCommands } from './pages/repairs/manage.ts';
import { slugsCommands } from './pages/slugs.ts';
import { teamCommands } from './pages/team.ts';
import { types } from './types/types.ts';

/** The commands that call a server, in the order of the help. */
export const clientCommands: Command[] = [
  login,
  logout,
  whoami,
  ...tokensCommands,
  ...accountCommands,
  dev,
  diff,
  logs,
  types,
  importCommand,
  pagesPush,
  pagesPull,
  pagesExport,
  ...pagesCommands,
  ...draftsCommands,
  ...branchesCommands,
  pagesCheck,
  pagesAttack,
  pagesAnalytics,
  ...repairsCommands,
  pagesAccess,
  ...slugsCommands,
  ...domainsCommands,
  ...teamCommands,
  ...functionsCommands,
  ...functionVersionCommands,
  functionsCall,
  functionsLogs,
  functionsSql,
  ...schedulesCommands,
  functionsTriggers,
  functionsJobs,
  ...secretsCommands,
  dataExport,
  dataImport,
  dataHistory,
  dataRestore,
  ...formsCommands,
  ...adminLists,
  ...adminActions,
  mcp,
  examples,
];
