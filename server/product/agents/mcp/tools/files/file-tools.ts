import { functionEndpoints } from '../../../../../../contract/functions/endpoints.ts';
import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import { type Definition, tool } from '../definition.ts';
import { cutLines } from '../results/cut.ts';
import { editFile } from './edit-file.ts';
import { readFile } from './read-file.ts';
import { takeLines } from './take-lines.ts';
import { writeFiles } from './write-files.ts';

const GROUPS = ['files', 'functions'] as const;
const PAGE = { id: { type: 'integer' } };
const TARGET = {
  ...PAGE,
  slug: { type: 'string', description: 'Or a function' },
  draft: { type: 'integer' },
};
const PATH = { path: { type: 'string', description: 'Default: index.html, or function.ts' } };
const BASE = {
  base_version: { type: 'integer' },
  revision: { type: 'integer', description: 'Of the draft' },
};
const SAVED = 'what Quire noticed in what was saved, which can quote it';

/** The hash of a file is for programs that compare files. No tool takes it, and each has 40 tokens. */
function withoutHashes(data: { files?: { hash: string }[] }): unknown {
  return data.files ? { ...data, files: data.files.map(({ hash: _, ...file }) => file) } : data;
}

/**
 * Tools for the files of pages, drafts and functions. The document of a page is the file index.html, and the code of a
 * function is function.ts.
 */
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
  {
    group: GROUPS,
    name: 'read_file',
    title: 'Read a file',
    description:
      'Returns a file of a page, draft, version or function as lines from_line to to_line of its text; anything else as content_base64. Of a function also the names of its files.',
    effect: 'read',
    source: 'a file, which others may have written',
    endpoints: [
      { given: 'slug', endpoint: functionEndpoints.getFunctionCode },
      { given: 'draft', endpoint: draftEndpoints.readDraftFile },
      { endpoint: fileEndpoints.readPageFile },
    ],
    shape: takeLines,
    cut: cutLines(['content'], 'read_file'),
    input: {
      ...TARGET,
      ...PATH,
      version: { type: 'integer' },
      from_line: { type: 'integer' },
      to_line: { type: 'integer' },
    },
    work: { required: [], fields: ['type', 'size', 'content', 'content_base64', 'lines'], run: readFile },
  },
  {
    group: GROUPS,
    name: 'write_files',
    title: 'Write files',
    description:
      'Adds, replaces and deletes files of a page or function in one step, as a new version, or of a draft. Other files stay.',
    effect: 'write',
    slow: 'Saving the files',
    source: SAVED,
    endpoints: [
      { given: 'slug', endpoint: functionEndpoints.updateFunction },
      { given: 'draft', endpoint: draftEndpoints.replaceDraftFiles },
      { endpoint: fileEndpoints.replacePageFiles },
    ],
    shape: withoutHashes,
    input: {
      ...TARGET,
      files: { type: 'object', description: 'Text by path: {"css/a.css":"…"}' },
      files_base64: { type: 'object', description: 'Other bytes' },
      delete: { type: 'array', items: { type: 'string' } },
      ...BASE,
    },
    work: {
      required: [],
      run: writeFiles,
      alsoDoes: [
        fileEndpoints.writePageFile,
        fileEndpoints.deletePageFile,
        draftEndpoints.writeDraftFile,
        draftEndpoints.deleteDraftFile,
      ],
    },
  },
  {
    group: GROUPS,
    name: 'edit_file',
    title: 'Edit a file',
    description:
      'Replaces text in a file of a page or function, as a new version, or of a draft. find must occur exactly once: copy enough around it; with all=true, every occurrence is replaced. Fails if someone else has changed it since base_version.',
    effect: 'write',
    slow: 'Saving the file',
    source: SAVED,
    endpoints: [
      { given: 'slug', endpoint: functionEndpoints.updateFunction },
      { given: 'draft', endpoint: draftEndpoints.writeDraftFile },
      { endpoint: fileEndpoints.writePageFile },
    ],
    input: {
      ...TARGET,
      ...PATH,
      find: { type: 'string' },
      replace: { type: 'string' },
      all: { type: 'boolean' },
      ...BASE,
    },
    work: { required: ['find', 'replace'], run: editFile },
  },
];
