import type { AgentSpec } from '../../contract/agents/agent-spec.ts';
import type { Access } from '../../contract/pages/access.ts';
import { type PageJson, SAME_SETTINGS } from '../../contract/pages/page-json.ts';
import { FEATURE_FLAGS, type PageWithExtras } from '../../contract/pages/pages.ts';
import { findDataType } from '../../contract/rules/storage-modes.ts';
import type { FunctionJson } from '../project/page-json.ts';
import { selectSchemas } from './find.ts';

/** The document, settings and agent spec of a page, as a folder has them. `beside` is the function beside the document. */
export function toPageTexts(
  read: PageWithExtras,
  spec: AgentSpec,
  beside: FunctionJson | undefined,
): Record<string, string> {
  const settings = { ...toSettings(read, spec), ...(beside && { function: beside }) };
  const text = toSpecText(read.page.id, spec);
  return {
    'index.html': read.page.html_content,
    'page.json': `${JSON.stringify(settings, null, 2)}\n`,
    ...(text !== undefined && { 'agent-spec.md': text }),
  };
}

/** On another server the page has another id. Push replaces the placeholder. */
export function toSpecText(id: number, { spec }: AgentSpec): string | undefined {
  return spec?.replaceAll(new RegExp(`(/api/pages/)${id}(?!\\d)`, 'g'), '$1{{PAGE_ID}}');
}

/** The settings of a page, as `page.json` has them. */
export function toSettings({ page, storageMode }: PageWithExtras, spec: AgentSpec): PageJson {
  const { functions } = page;
  return {
    ...Object.fromEntries(SAME_SETTINGS.map((name) => [name, { ...page, storage_mode: storageMode }[name]])),
    ...(isLimited(page.access) && { access: page.access }),
    features: Object.fromEntries(FEATURE_FLAGS.map((name) => [name, page[name]])),
    ...(findDataType(storageMode) && {
      schemas: Object.fromEntries(
        selectSchemas(spec, storageMode).map(({ collection, schema }) => [collection, schema]),
      ),
    }),
    ...(functions.length > 0 && { functions }),
    ...(page.agent_functions.length > 0 && { agent_functions: page.agent_functions }),
  };
}

/** An open page has no `access` in its folder: a later push must not open a page that was closed meanwhile. */
function isLimited({ mode, expires_at }: Access): boolean {
  return mode !== 'public' || expires_at !== undefined;
}
