import { PAGE_FEATURES } from '../../../contract/agents/agent-spec.ts';
import { formEndpoints } from '../../../contract/forms/endpoints.ts';
import { FEATURE_FLAGS, type PageWithExtras, pageUrl } from '../../../contract/pages/pages.ts';
import { isFunctionSlug } from '../../../contract/rules/function-names.ts';
import { type Api, notFromQuire } from '../../client/api.ts';
import { connect } from '../../client/connect.ts';
import { type Command, SERVER_OPTION } from '../../command.ts';
import { writeInside } from '../../project/texts.ts';
import { count } from '../../terminal/amounts.ts';
import { printable } from '../../terminal/colours.ts';
import type { Output } from '../../terminal/output.ts';
import { UsageError } from '../../usage.ts';
import { pullData } from '../data-files.ts';
import { findPageId, readPage, readSpec, selectSchemas } from '../find.ts';
import { exportFunction } from './function.ts';
import { ExportReport } from './report.ts';
import { exportSite } from './site.ts';
import { chooseTarget, writeExport } from './target.ts';

export const pagesExport: Command = {
  name: 'pages export',
  usage: '<slug|id> [folder|file.zip]',
  args: [1, 2],
  summary: 'write a page with its functions and data as files that run elsewhere',
  options: {
    functions: {
      type: 'string',
      value: 'slugs',
      summary:
        'functions besides those that belong to the page or that it calls by name, separated by commas',
    },
    force: { type: 'boolean', summary: 'replace an earlier export' },
    ...SERVER_OPTION,
  },
  notes: `Writes site/ (for any host of static files), functions/<slug>/ (a Worker with wrangler.toml, its database as SQL),
data/ (records as NDJSON) and EXPORT.md, which says what does not run elsewhere. Values of secrets are not exported. To
move a page to another Quire, use quire pages pull.`,
  async run(call) {
    const named = (call.text('functions') ?? '').split(',').filter((slug) => slug !== '');
    const wrong = named.find((slug) => !isFunctionSlug(slug));
    if (wrong !== undefined) throw new UsageError(`${wrong} is not the slug of a function.`);
    const api = await connect(call);
    const [slugOrId = '', wanted] = call.args;
    const found = await readPage(api, await findPageId(api, slugOrId));
    const { id, slug } = found.page;
    // The slug can become the name of a folder.
    if (!/^[a-z0-9-]+$/.test(slug)) throw notFromQuire(`GET /api/pages/${id}`, api.baseUrl);
    const target = await chooseTarget(wanted ?? `${slug}-export`, call.flag('force'));
    const report = await writeExport(target, (folder) => exportAll(api, found, named, folder, call.out));
    const { taken, left } = report;
    const to = wanted ?? `${slug}-export`;
    call.out.done(
      {
        ...(target.isArchive ? { file: to } : { folder: to }),
        page: { id, slug, version: found.versionCount },
        taken,
        left,
      },
      printable(`Exported ${slug} (version ${found.versionCount}) to ${to}.\n${report.toText()}`),
    );
  },
};

async function exportAll(
  api: Api,
  found: PageWithExtras,
  named: string[],
  folder: string,
  out: Output,
): Promise<ExportReport> {
  const { page, versionCount: version } = found;
  const report = new ExportReport();
  const called = await exportSite(api, found, { folder, report, out });
  for (const slug of page.functions) called.add(slug);
  for (const { slug } of page.agent_functions) called.add(slug);
  for (const slug of named) called.add(slug);
  const exports = { api, folder, report, dumped: new Map<string, string>() };
  for (const slug of [...called].filter(isFunctionSlug)) await exportFunction(exports, slug);
  await exportData(api, found, folder, report, out);
  await noteFeatures(api, page, report);
  const url = pageUrl(api.baseUrl, page.slug);
  await writeInside(folder, 'EXPORT.md', report.toMarkdown({ name: page.name, url, version }));
  return report;
}

/** Writes the records that the caller can read, and the schemas of their collections. */
async function exportData(
  api: Api,
  { page, storageMode }: PageWithExtras,
  folder: string,
  report: ExportReport,
  out: Output,
): Promise<void> {
  const spec = await readSpec(api, page.id);
  if (spec.spec !== null)
    report.leave('agent spec', 'describes the API of Quire. quire pages pull downloads it.');
  const pulled = await pullData(api, folder, page.id, out);
  for (const { collection, records } of pulled)
    report.take(`data/${collection}.ndjson`, count(records, 'record'));
  const schemas = selectSchemas(spec, storageMode);
  if (schemas.length > 0) {
    const byName = Object.fromEntries(schemas.map(({ collection, schema }) => [collection, schema]));
    await writeInside(folder, 'data/schemas.json', `${JSON.stringify(byName, null, 2)}\n`);
    report.take(
      'data/schemas.json',
      `the ${count(schemas.length, 'schema')} of the collections, with their rules`,
    );
    report.leave(
      'data/schemas.json',
      'Quire checks records against these schemas and rules. Elsewhere your own code must.',
    );
  }
  if (storageMode === 'solo_app')
    report.leave('data', 'has your own records only: those of others are theirs.');
  if (storageMode === 'team_app') report.leave('team', 'members, roles and files of the team stay at Quire.');
}

/** Notes what Quire does for a page and no file can. */
async function noteFeatures(api: Api, page: PageWithExtras['page'], report: ExportReport): Promise<void> {
  for (const flag of FEATURE_FLAGS)
    if (page[flag])
      report.leave('features', `${PAGE_FEATURES[flag].name} for visitors is a service of Quire.`);
  const { forms } = await api.call(formEndpoints.listForms, { params: { id: String(page.id) } });
  for (const { name, messages } of forms)
    report.leave(
      'forms',
      `${name} has ${count(messages, 'message')}. Export them: quire forms export ${page.slug} ${name}`,
    );
}
