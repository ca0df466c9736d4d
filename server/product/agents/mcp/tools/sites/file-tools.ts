import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import { INDEX_PATH } from '../../../../../../contract/rules/file-paths.ts';
import { type Definition, tool } from '../definition.ts';
import { cutLines } from '../results/cut.ts';
import { editFile } from './edit-file.ts';
import { takeLines } from './take-lines.ts';
import { writeFiles } from './write-files.ts';

const PAGE = { id: { type: 'integer', description: 'Page id' } };
const FILE = {
  ...PAGE,
  draft: { type: 'integer' },
  path: { type: 'string', default: INDEX_PATH },
};
const BASE = {
  base_version: { type: 'integer' },
  revision: { type: 'integer', description: 'Of the draft' },
};
const SAVED = 'what Quire noticed in a page, which can quote the page';

/** The hash of a file is for programs that compare files. No tool takes it, and each has 40 tokens. */
function withoutHashes(data: { files?: { hash: string }[] }): unknown {
  return data.files ? { ...data, files: data.files.map(({ hash: _, ...file }) => file) } : data;
}

/** Tools for the files of pages and drafts. The document of a page is the file index.html. */
export const fileTools: Definition[] = [
  tool(fileEndpoints.listPageFiles, {
    group: 'files',
    name: 'list_page_files',
    title: 'List the files of a page',
    description: 'Lists the files beside the HTML of a page.',
    effect: 'read',
    source: 'names of files, which others may have written',
    shape: withoutHashes,
    input: { ...PAGE, version: '' },
  }),
  tool(fileEndpoints.readPageFile, {
    group: 'files',
    name: 'read_page_file',
    title: 'Read a file of a page',
    description:
      'Returns a file of a page, or of a draft or version, as lines from_line to to_line of its text; anything else as content_base64.',
    effect: 'read',
    source: 'a file of a page, which others may have written',
    bytesResult: true,
    defaults: { path: INDEX_PATH },
    also: [{ given: 'draft', endpoint: draftEndpoints.readDraftFile }],
    adds: ['draft', 'from_line', 'to_line'],
    shape: takeLines,
    cut: cutLines(['content'], 'read_page_file'),
    input: {
      ...FILE,
      version: '',
      from_line: { type: 'integer' },
      to_line: { type: 'integer' },
    },
  }),
  tool(fileEndpoints.replacePageFiles, {
    group: 'files',
    name: 'write_page_files',
    title: 'Write files of a page',
    description:
      'Adds, replaces and deletes files of a page in one step, as a new version, or of a draft. Other files stay. Earlier versions keep what is deleted.',
    effect: 'write',
    source: SAVED,
    also: [{ given: 'draft', endpoint: draftEndpoints.replaceDraftFiles }],
    adds: ['draft', 'files', 'files_base64', 'delete', 'revision'],
    run: writeFiles,
    shape: withoutHashes,
    alsoDoes: [
      fileEndpoints.writePageFile,
      fileEndpoints.deletePageFile,
      draftEndpoints.writeDraftFile,
      draftEndpoints.deleteDraftFile,
    ],
    input: {
      ...PAGE,
      draft: { type: 'integer' },
      files: { type: 'object', description: 'Text by path: {"css/a.css":"…"}' },
      files_base64: { type: 'object', description: 'Other bytes' },
      delete: { type: 'array', items: { type: 'string' } },
      ...BASE,
    },
  }),
  tool(fileEndpoints.writePageFile, {
    group: 'files',
    name: 'edit_page_file',
    title: 'Edit a file of a page',
    description:
      'Replaces text in a file of a page, as a new version, or in a draft. find must occur exactly once: copy enough around it; with all=true, every occurrence is replaced.',
    effect: 'write',
    source: SAVED,
    defaults: { path: INDEX_PATH },
    also: [{ given: 'draft', endpoint: draftEndpoints.writeDraftFile }],
    adds: ['draft', 'find', 'replace', 'all', 'revision'],
    run: editFile,
    input: {
      ...FILE,
      find: { type: 'string' },
      replace: { type: 'string' },
      all: { type: 'boolean' },
      ...BASE,
    },
  }),
];
