import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { importEndpoints } from '../../contract/imports/endpoints.ts';
import type { ImportReport, Left } from '../../contract/imports/imports.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { sendForm } from '../pages/files/upload.ts';
import { readChunks } from '../project/files/read.ts';
import { askLine, isAsked } from '../terminal/ask.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { packFile, packFolder } from './pack.ts';
import { sayPublished, sayReport } from './report.ts';

export const importCommand: Command = {
  name: 'import',
  usage: '<folder|file|address>',
  args: [1, 1],
  summary: 'import a site, a page, a component, a Worker or a val',
  options: {
    title: { type: 'string', value: 'name', summary: 'the name of the page; default: its own title' },
    slug: {
      type: 'string',
      value: 'slug',
      summary: 'the last part of its URL; without a page, the slug of the function',
    },
    'dry-run': { type: 'boolean', summary: 'show what would be taken and what would be left, and end' },
    yes: { type: 'boolean', summary: 'publish without asking' },
    ...SERVER_OPTION,
  },
  notes: `Takes a folder, an archive (.zip, .tar.gz), an .html or .jsx file, or an address: of a page, of an archive, or of a
repository. Recognises a built site, a page that a browser saved, a React component, a Worker with wrangler.toml,
wrangler.json or wrangler.jsonc (with its D1 database, migrations, crons and variables), and a Val Town project. First it
shows what it takes, and what it leaves and why. Nothing is published before you agree. A new page or function is made each
time; to update one, use quire pages push or quire functions push.`,
  async run(call) {
    const [source = ''] = call.args;
    const api = await connect(call);
    const { send, left } = await findSender(api, source, call);
    const report = withLeft(await send(undefined), left);
    if (call.flag('dry-run')) return call.out.result(report, sayReport(report));
    if (!call.out.isJson) call.out.note(sayReport(report));
    if (report.digest === null)
      throw new CommandError('There is nothing to publish. Nothing was changed.', EXIT.failed, { ...report });
    await confirm(call);
    const published = withLeft(await send(report.digest), left);
    call.out.done(published, printable(sayPublished(published)));
  },
};

async function confirm(call: Call): Promise<void> {
  if (call.flag('yes')) return;
  if (!isAsked())
    throw new UsageError(
      'Nothing was published. Add --yes to publish it, or --dry-run to see the report only.',
    );
  if (!/^y(es)?$/i.test(await askLine('Publish this? [y/N] ')))
    throw new CommandError('Nothing was published.', EXIT.failed);
}

/** Adds what this machine did not send to what the server left. */
const withLeft = (report: ImportReport, left: Left[]): ImportReport => ({
  ...report,
  left: [...report.left, ...left],
});

interface Sender {
  /** Asks for the report; with its digest, publishes. */
  send(digest: string | undefined): Promise<ImportReport>;
  left: Left[];
}

async function findSender(api: Api, source: string, call: Call): Promise<Sender> {
  const choices = { title: call.text('title'), slug: call.text('slug') };
  if (/^https?:\/\//i.test(source)) {
    const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
    return {
      left: [],
      send: (digest) =>
        api.call(importEndpoints.importAddress, {
          body: { url: source, ...given, ...(digest !== undefined && { digest }) },
        }),
    };
  }
  const found = await stat(source).catch(() => undefined);
  if (!found) throw new CommandError(`${source} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) {
    const { name, files, left } = await packFolder(source);
    if (files.length === 0) throw new CommandError(`${source} has no files to import.`);
    const send = (digest: string | undefined) =>
      sendForm(
        () => [],
        files,
        (stream) => api.call(importEndpoints.importFiles, { query: { ...choices, name, digest }, stream }),
        call.out,
      );
    return { send, left };
  }
  const { file, size } = await packFile(source);
  const query = { ...choices, name: basename(source) };
  return {
    left: [],
    send: (digest) =>
      api.call(importEndpoints.importFiles, {
        query: { ...query, digest },
        stream: { type: 'application/octet-stream', length: size, chunks: readChunks(file) },
      }),
  };
}
